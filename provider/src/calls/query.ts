import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import { type ArgumentProblem, checkArguments } from "../functions/arguments.js";
import type { FunctionDefinition } from "../functions/define-function.js";
import { textOf } from "../kernel/diagnostics/errors.js";
import { programError } from "../kernel/engine/program-error.js";
import { redact } from "../kernel/engine/redact.js";
import { connect } from "./connection.js";

/** Arguments that may contain outputs of resources at any depth. */
export type Inputs<T> = { readonly [F in keyof T]: DeepInput<T[F]> };

type DeepInput<T> = T extends string | number | boolean | undefined
  ? pulumi.Input<T>
  : T extends readonly (infer M)[]
    ? pulumi.Input<readonly DeepInput<M>[]>
    : pulumi.Input<{ readonly [F in keyof T]: DeepInput<T[F]> }>;

/** A function for programs, in its two forms. */
export interface Query<R> {
  promise(args: unknown): Promise<R>;
  output(args: unknown): pulumi.Output<R>;
}

/**
 * Returns the program forms of a function. It checks its arguments first, and fails with one message without secrets or
 * a stack trace.
 */
export function query<S extends z.core.$ZodLooseShape, R>(definition: FunctionDefinition<S, R>): Query<R> {
  const { name } = definition;

  async function promise(args: unknown = {}): Promise<R> {
    const checked = checkArguments(definition, args);
    if ("problems" in checked) {
      const messages = checked.problems.map((problem) => messageOf(problem, definition, args));
      throw programError(`${name}: ${[...new Set(messages)].join("; ")}.`);
    }
    let apiKey = "";
    const service = () => {
      const connection = connect();
      apiKey = connection.settings.apiKey;
      return connection.api;
    };
    try {
      return await definition.run(service, checked.args, { preview: pulumi.runtime.isDryRun() });
    } catch (error) {
      throw programError(redact(`${name}: ${textOf(error)}`, [apiKey]));
    }
  }

  return {
    promise,
    output(args) {
      // The result of a confidential function is secret.
      const given = definition.secret ? pulumi.secret({ args }) : pulumi.output({ args });
      return given.apply((known: { args?: unknown }) => promise(known.args));
    },
  };
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
