import { z } from "zod";
import type { Input, Kind } from "./kind.js";
import { once } from "./once.js";
import { type Properties, stringOf } from "./properties.js";

/** Returns the inputs of a kind by name. */
export const fieldsOf = <I extends object, R extends object>(
  kind: Kind<I, R>,
): [string, Input<unknown, R>][] => Object.entries(kind.inputs);

type Marked = Readonly<Record<string, { readonly secret?: true }>>;

/** Returns the names of a kind's secret inputs and outputs. */
export const secretNames = once(
  ({ inputs, outputs }: { inputs: Marked; outputs: Marked }): ReadonlySet<string> => {
    const marked = [...Object.entries(inputs), ...Object.entries(outputs)];
    return new Set(marked.filter(([, property]) => property.secret).map(([name]) => name));
  },
);

/** Returns a property's value in a response. A value that cannot be derived is unknown, not an error. */
export function valueIn<T, R>(
  property: { from?(remote: R, inputs?: Readonly<Record<string, unknown>>): T | undefined },
  remote: R | undefined,
  inputs: Readonly<Record<string, unknown>> = {},
): T | undefined {
  if (remote === undefined) return undefined;
  try {
    return property.from?.(remote, inputs);
  } catch {
    return undefined;
  }
}

/** Returns the id in a response, if there is a usable one. */
export function idIn<I extends object, R extends object>(kind: Kind<I, R>, remote: R): string | undefined {
  try {
    return kind.id(remote) || undefined;
  } catch {
    return undefined;
  }
}

/** Returns the id that the inputs determine. */
export function idInInputs<I extends object, R extends object>(
  { idFrom }: Kind<I, R>,
  inputs: Properties,
): string | undefined {
  return idFrom && stringOf(inputs, idFrom);
}

type Schemas = Readonly<Record<string, { readonly schema: z.ZodType; readonly optional?: true }>>;

/** Returns the schema of a kind's inputs. */
const schemaOf = once(({ inputs }: { readonly inputs: Schemas }): z.ZodObject => {
  const shape = Object.entries(inputs).map(([field, { schema, optional }]) => [
    field,
    optional ? schema.optional() : schema,
  ]);
  return z.object(Object.fromEntries(shape));
});

/** Returns the schema of inputs that may all be absent. */
const partialSchemaOf = once((kind: { readonly inputs: Schemas }) => schemaOf(kind).partial());

/**
 * Returns the inputs as the kind's own functions take them.
 *
 * The cast is needed because the schema is built from a mapped type, which the compiler cannot convert back to `I`. The
 * schema has checked the values at run time. The view of a plan, whose inputs may be unknown or absent, casts single
 * fields for the same reason.
 */
export const inputsOf = <I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Readonly<Record<string, unknown>>,
): I => schemaOf(kind).parse(values) as I;

/**
 * Returns the inputs of an existing resource as the kind's own functions take them. An import may have left out required
 * ones that the service does not return; no update sends those.
 */
export const knownInputsOf = <I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Readonly<Record<string, unknown>>,
): I => partialSchemaOf(kind).parse(values) as I;
