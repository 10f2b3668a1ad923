import { z } from "zod";
import { snakeCased } from "./casing.js";
import { isObject } from "./json.js";
import type { OpenText } from "./shapes.js";

/**
 * What schemas say of the wire, and the way there: from camelCase to snake_case. The conversion follows the schemas: it
 * converts the members that a schema knows, and leaves the contents of free-form members unchanged.
 */

const wireNames = new WeakMap<z.ZodType, string>();

/** Sets the wire name of a member that the wire does not spell in snake_case, e.g. `TTL`. */
export function withWireName<T extends z.ZodType>(schema: T, wireName: string): T {
  wireNames.set(schema, wireName);
  return schema;
}

const identifiers = new WeakSet<z.ZodType>();

/** Returns the schema of an id of the service. An id that could lead to another path is not valid. */
export function identifier(): z.ZodString {
  const schema = z.string();
  identifiers.add(schema);
  return schema;
}

export const isIdentifierSchema = (schema: z.ZodType): boolean => identifiers.has(schema);

const openTexts = new WeakSet<z.ZodType>();

/** Returns the schema of a text in responses with known values. New values are valid. */
export function knownText<Known extends string>(): z.ZodType<OpenText<Known>> {
  const schema = z.custom<OpenText<Known>>((value) => typeof value === "string");
  openTexts.add(schema);
  return schema;
}

export const isOpenTextSchema = (schema: z.ZodType): boolean => openTexts.has(schema);

/** Returns the schema of an object whose members are neither renamed nor checked. */
export function freeForm(): z.ZodCustom<Record<string, unknown>, Record<string, unknown>> {
  return z.custom<Record<string, unknown>>(isObject, { error: "expected an object" });
}

/** Returns the wire form of a parsed input, without undefined members. */
export function toWire(schema: z.ZodType, value: unknown): unknown {
  const wrapped = inner(schema);
  if (wrapped !== schema) return toWire(wrapped, value);
  if (schema instanceof z.ZodObject && isObject(value)) {
    const written: Record<string, unknown> = {};
    for (const { name, wireName, schema: member } of membersOf(schema)) {
      const given = value[name];
      if (given !== undefined) written[wireName] = toWire(member, given);
    }
    return written;
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => toWire(elementOf(schema), item));
  }
  if (value instanceof Date) return value.toISOString();
  if (isObject(value) && !(schema instanceof z.ZodCustom)) {
    throw new TypeError(`No way to write an object of the kind ${schema.type}`);
  }
  return value;
}

function wireNameOf(name: string, member: z.ZodType): string {
  return wireNames.get(member) ?? wireNames.get(inner(member)) ?? snakeCased(name);
}

export function inner(schema: z.ZodType): z.ZodType {
  const wraps =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly;
  const unwrapped = wraps ? schema.unwrap() : schema;
  return unwrapped instanceof z.ZodType ? unwrapped : schema;
}

export function elementOf(schema: z.ZodArray): z.ZodType {
  return schema.element instanceof z.ZodType ? schema.element : z.unknown();
}

export interface Member {
  readonly name: string;
  readonly wireName: string;
  readonly schema: z.ZodType;
}

const membersOfSchemas = new WeakMap<z.ZodObject, readonly Member[]>();

export function membersOf(object: z.ZodObject): readonly Member[] {
  const known = membersOfSchemas.get(object);
  if (known !== undefined) return known;
  const members = Object.entries(object.shape).flatMap(([name, schema]): Member[] =>
    schema instanceof z.ZodType ? [{ name, wireName: wireNameOf(name, schema), schema }] : [],
  );
  membersOfSchemas.set(object, members);
  return members;
}
