import * as pulumi from "@pulumi/pulumi";
import type { CloudServices } from "cloudservices-sdk";
import { z } from "zod";
import { didYouMean } from "../kernel/diagnostics/did-you-mean.js";
import { textOf } from "../kernel/diagnostics/errors.js";
import { redact } from "../kernel/engine/redact.js";
import { connect } from "./connection.js";

/** Arguments that may contain outputs of resources at any depth. */
export type Inputs<T> = { readonly [F in keyof T]: DeepInput<T[F]> };

type DeepInput<T> = T extends string | number | boolean | undefined
  ? pulumi.Input<T>
  : T extends readonly (infer M)[]
    ? pulumi.Input<readonly DeepInput<M>[]>
    : pulumi.Input<{ readonly [F in keyof T]: DeepInput<T[F]> }>;

interface Definition<S extends z.core.$ZodLooseShape, R> {
  readonly name: string;
  readonly args: S;
  /** The response is confidential: its output is a secret. */
  readonly secret?: true;
  /** Sends the request. `service` returns the stack's client, or throws if the configuration is invalid. */
  run(service: () => CloudServices, args: z.output<z.ZodObject<S>>): R | Promise<R>;
}

/** A function for programs, in its two forms. */
export interface Query<R> {
  promise(args: unknown): Promise<R>;
  output(args: unknown): pulumi.Output<R>;
}

/**
 * Creates a read-only function. It checks its arguments first, and fails with one message without secrets or a stack
 * trace.
 */
export function query<S extends z.core.$ZodLooseShape, R>(definition: Definition<S, R>): Query<R> {
  const { name } = definition;
  const schema = z.strictObject(definition.args);

  async function promise(args: unknown = {}): Promise<R> {
    const parsed = schema.safeParse(args);
    if (!parsed.success)
      throw failure(`${name}: ${[...new Set(problems(name, schema, args, parsed.error))].join("; ")}.`);
    let apiKey = "";
    const service = () => {
      const connection = connect();
      apiKey = connection.settings.apiKey;
      return connection.api;
    };
    try {
      return await definition.run(service, parsed.data);
    } catch (error) {
      throw failure(redact(`${name}: ${textOf(error)}`, [apiKey]));
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

/** Returns an error whose message the engine prints without the program's source or a stack trace. */
function failure(message: string): pulumi.RunError {
  const error = new pulumi.RunError(message);
  error.stack = message;
  return error;
}

function problems(name: string, schema: z.ZodObject, args: unknown, error: z.ZodError): string[] {
  const known = Object.keys(schema.shape);
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
      return issue.keys.map((key) => {
        const near = didYouMean(key, known);
        return `it has no argument "${key}"${near ? `; did you mean "${near}"?` : ""}`;
      });
    }
    const [field = ""] = issue.path;
    const given = typeof args === "object" && args !== null ? Reflect.get(args, field) : undefined;
    if (pulumi.Output.isInstance(given))
      return [`${String(field)} is an output of a resource: use ${name}Output`];
    if (given === undefined && issue.path.length === 1) return [`${String(field)} is required`];
    return [`${issue.path.map(String).join(".")} ${issue.message}`.trim()];
  });
}
