import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { FunctionDefinition } from "../functions/define-function.js";

/** What the program forms of a function need to know of its definition. */
export interface FunctionSignature {
  readonly name: string;
  /** The response is confidential: its output is a secret. */
  readonly secret?: true;
}

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
 * Returns the program forms of a function.
 *
 * @param load - Loads the definition. It needs the sdk, which a program that only declares resources does not.
 */
export function query<S extends z.core.$ZodLooseShape, R>(
  { secret }: FunctionSignature,
  load: () => Promise<FunctionDefinition<S, R>>,
): Query<R> {
  async function promise(args?: unknown): Promise<R> {
    const [definition, { run }] = await Promise.all([load(), import("./run.js")]);
    return run(definition, args);
  }

  return {
    promise,
    output(args) {
      // The result of a confidential function is secret.
      const given = secret ? pulumi.secret({ args }) : pulumi.output({ args });
      return given.apply((known: { args?: unknown }) => promise(known.args));
    },
  };
}
