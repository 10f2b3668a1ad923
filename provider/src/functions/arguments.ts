import { z } from "zod";
import { didYouMean } from "../kernel/diagnostics/did-you-mean.js";
import type { FunctionDefinition } from "./define-function.js";

/** What is wrong with one argument. */
export interface ArgumentProblem {
  /** The path of the argument, such as `vps.0.count`. */
  readonly argument: string;
  /** A text that names the argument and does not repeat its value, which may be a secret. */
  readonly message: string;
}

export type CheckedArguments<S extends z.core.$ZodLooseShape> =
  | { readonly args: z.output<z.ZodObject<S>> }
  | { readonly problems: readonly ArgumentProblem[] };

/** Returns the arguments as a function takes them, or everything that is wrong with them. */
export function checkArguments<S extends z.core.$ZodLooseShape>(
  definition: FunctionDefinition<S, unknown>,
  given: unknown,
): CheckedArguments<S> {
  const parsed = z.strictObject(definition.args).safeParse(given);
  if (parsed.success) return { args: parsed.data };
  const known = Object.keys(definition.args);
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, known, given));
  const messages = problems.map(({ message }) => message);
  return { problems: problems.filter(({ message }, at) => messages.indexOf(message) === at) };
}

function problemsOf(issue: z.core.$ZodIssue, known: readonly string[], given: unknown): ArgumentProblem[] {
  if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
    return issue.keys.map((key) => {
      const near = didYouMean(key, known);
      const message = `it has no argument "${key}"${near ? `; did you mean "${near}"?` : ""}`;
      return { argument: key, message };
    });
  }
  const argument = issue.path.map(String).join(".");
  const [field = ""] = issue.path;
  const value: unknown = typeof given === "object" && given !== null ? Reflect.get(given, field) : undefined;
  if (value === undefined && issue.path.length === 1)
    return [{ argument, message: `${argument} is required` }];
  return [{ argument, message: `${argument} ${issue.message}`.trim() }];
}
