import type { z } from "zod";
import type { Definition, Input, Output } from "./kind.js";

/*
 * The definition of a kind is the only declaration of its fields. The types of its inputs and outputs are derived from
 * it, and mapped types carry the comment of each field to the user's editor. The types of single fields omit the
 * response, which would otherwise be repeated for every field in the published declarations.
 */

/** An input that a program must set. */
export interface RequiredInput<T> extends Input<T, never> {
  readonly optional?: never;
}

/** An input that a program may omit. */
export interface OptionalInput<T> extends Input<T, never> {
  readonly optional: true;
}

/** An output that every resource has. */
export interface RequiredOutput<T> extends Output<never> {
  readonly optional?: never;
  from(remote: never, inputs?: Readonly<Record<string, unknown>>): T | null | undefined;
}

/** An output that a resource may not have. */
export interface OptionalOutput<T> extends Output<never> {
  readonly optional: true;
  from(remote: never, inputs?: Readonly<Record<string, unknown>>): T | null | undefined;
}

type InputFields = Readonly<Record<string, RequiredInput<unknown> | OptionalInput<unknown>>>;
type OutputFields = Readonly<Record<string, RequiredOutput<unknown> | OptionalOutput<unknown>>>;

/** The names of the optional fields. */
type OptionalIn<D> = { [F in keyof D]: D[F] extends { readonly optional: true } ? F : never }[keyof D];

/** The values of some fields. Mapped over names of `D` itself, because only then each keeps its comment. */
type ValuesOf<D, F extends keyof D> = { [N in F]: D[N] extends Input<infer T, never> ? T : never };

type MayBeOmitted<V> = { [F in keyof V]?: V[F] | undefined };

/** The values of the inputs that a definition declares. Exported: the published declarations refer to it by name. */
export type InputValues<D> = ValuesOf<D, Exclude<keyof D, OptionalIn<D>>> &
  MayBeOmitted<ValuesOf<D, OptionalIn<D>>>;

/** The values of the outputs that a definition declares. */
export type OutputValues<P> = {
  [F in keyof P]: P[F] extends RequiredOutput<infer T>
    ? T
    : P[F] extends OptionalOutput<infer T>
      ? T | undefined
      : never;
};

/** The inputs of a kind, as a program sets them and as the functions of the definition take them. */
export type InputsOf<K> = K extends Definition<infer I, infer _O, infer _R> ? I : never;

/** The outputs of a kind. */
export type OutputsOf<K> = K extends Definition<infer _I, infer O, infer _R> ? O : never;

type InputRule<T, R> = Omit<Input<T, R>, "schema" | "optional">;
type OutputRule<R> = Pick<Output<R>, "secret" | "changesWith" | "integer">;
type Reader<T, R> = (remote: R, inputs?: Readonly<Record<string, unknown>>) => T | null | undefined;

/** Returns what defines a kind whose responses are of the type `R`. */
export const kindOf = <R extends object>() => ({
  input: <T>(schema: z.ZodType<T>, rule: InputRule<NoInfer<T>, R>): RequiredInput<T> => ({ ...rule, schema }),

  optionalInput: <T>(schema: z.ZodType<T>, rule: InputRule<NoInfer<T>, R>): OptionalInput<T> => ({
    ...rule,
    schema,
    optional: true,
  }),

  /** Undefined in a response: not contained, the value stays as it was. Null: no value. */
  output: <T>(from: Reader<T, R>, rule: OutputRule<R> = {}): RequiredOutput<T> => ({ ...rule, from }),

  optionalOutput: <T>(from: Reader<T, R>, rule: OutputRule<R> = {}): OptionalOutput<T> => ({
    ...rule,
    from,
    optional: true,
  }),

  /** Returns the definition of a kind, with the types that follow from its fields. */
  defineKind: <D extends InputFields, P extends OutputFields>(
    definition: Definition<InputValues<D>, OutputValues<P>, R> & { readonly inputs: D; readonly outputs: P },
  ): Definition<InputValues<D>, OutputValues<P>, R> => definition,
});
