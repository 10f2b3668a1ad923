import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import { requireAllowed } from "../functions/allowed.js";
import { type ArgumentProblem, checkArguments } from "../functions/arguments.js";
import type { FunctionDefinition } from "../functions/define-function.js";
import { textOf } from "../kernel/diagnostics/errors.js";
import { programError } from "../kernel/engine/program-error.js";
import { redact } from "../kernel/engine/redact.js";
import { connect } from "./connection.js";

/**
 * Runs a function for a program. Checks its arguments first.
 *
 * @throws RunError with one message, without secrets or a stack trace.
 */
export async function run<S extends z.core.$ZodLooseShape, R>(
  definition: FunctionDefinition<S, R>,
  args: unknown = {},
): Promise<R> {
  const { name } = definition;
  const checked = checkArguments(definition, args);
  if ("problems" in checked) {
    const messages = checked.problems.map((problem) => messageOf(problem, definition, args));
    throw programError(`${name}: ${[...new Set(messages)].join("; ")}.`);
  }
  let apiKey = "";
  const service = () => {
    const connection = connect();
    apiKey = connection.settings.apiKey;
    requireAllowed(definition, connection.settings.api);
    return connection.api;
  };
  try {
    return await definition.run(service, checked.args, { preview: pulumi.runtime.isDryRun() });
  } catch (error) {
    throw programError(redact(`${name}: ${textOf(error)}`, [apiKey]));
  }
}

/** Returns what is wrong with an argument. The promise form takes no outputs. */
function messageOf(
  { argument, message }: ArgumentProblem,
  { name, args }: Pick<FunctionDefinition<z.core.$ZodLooseShape, unknown>, "name" | "args">,
  given: unknown,
): string {
  const [field = ""] = argument.split(".");
  const value: unknown = typeof given === "object" && given !== null ? Reflect.get(given, field) : undefined;
  return Object.hasOwn(args, field) && pulumi.Output.isInstance(value)
    ? `${field} is an output of a resource: use ${name}Output`
    : message;
}
