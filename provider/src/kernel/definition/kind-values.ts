import { z } from "zod";
import type { Input, Kind } from "./kind.js";
import { type Properties, stringOf } from "./properties.js";

/** Returns the inputs of a kind by name. */
export const fieldsOf = <I extends object, R extends object>(
  kind: Kind<I, R>,
): [string, Input<unknown, R>][] => Object.entries(kind.inputs);

type Marked = Readonly<Record<string, { readonly secret?: true }>>;

/** Returns the names of a kind's secret inputs and outputs. */
export function secretNames({ inputs, outputs }: { inputs: Marked; outputs: Marked }): ReadonlySet<string> {
  const marked = [...Object.entries(inputs), ...Object.entries(outputs)];
  return new Set(marked.filter(([, property]) => property.secret).map(([name]) => name));
}

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

const schemas = new WeakMap<object, z.ZodObject>();

/** Returns the schema of a kind's inputs, which is built once. */
function schemaOf<I extends object, R extends object>(kind: Kind<I, R>): z.ZodObject {
  const cached = schemas.get(kind);
  if (cached) return cached;
  const shape = fieldsOf(kind).map(([field, { schema, optional }]) => [
    field,
    optional ? schema.optional() : schema,
  ]);
  const schema = z.object(Object.fromEntries(shape));
  schemas.set(kind, schema);
  return schema;
}

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
): I => schemaOf(kind).partial().parse(values) as I;
