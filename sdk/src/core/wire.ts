import { z } from "zod";
import { camelCased, snakeCased } from "./casing.js";
import type { ResponseIssue } from "./errors.js";
import { isIdentifier } from "./identifier.js";
import { isObject } from "./json.js";

/**
 * Converts between camelCase and the snake_case of the wire. The conversion follows the schemas: it converts the
 * members that a schema knows, and leaves the contents of free-form and unknown members unchanged.
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

/** Returns the schema of an object whose members are neither renamed nor checked. */
export function freeForm(): z.ZodCustom<Record<string, unknown>, Record<string, unknown>> {
  return z.custom<Record<string, unknown>>(isObject, { error: "expected an object" });
}

/** Adds issues without their path, which callers prefix: almost every response has no issues. */
type Convert = (value: unknown, issues: ResponseIssue[]) => unknown;

/** A converted value, or every member that breaks the documented type. */
export type Read<T> = { readonly value: T } | { readonly issues: readonly ResponseIssue[] };

export type Reader<T> = (value: unknown) => Read<T>;

/**
 * Returns the reader of a schema. It is tolerant: `null` counts as absent, unknown members and new enumeration values
 * are kept, and only the required members of the schema have to be there.
 */
export function readerOf<S extends z.ZodType>(schema: S): Reader<z.output<S>> {
  const convert = converter(schema);
  return (wire) => {
    const issues: ResponseIssue[] = [];
    // The converter follows the schema, so a value without issues has the output type of the schema.
    const isOutput = (_: unknown): _ is z.output<S> => issues.length === 0;
    const value = convert(wire, issues);
    if (isOutput(value)) return { value };
    prefixPaths("data", issues, 0);
    return { issues };
  };
}

function converter(schema: z.ZodType): Convert {
  if (schema instanceof z.ZodOptional) return converter(inner(schema));
  if (schema instanceof z.ZodObject) return objectConverter(schema);
  if (schema instanceof z.ZodArray) return arrayConverter(schema);
  if (identifiers.has(schema)) return id;
  if (schema instanceof z.ZodString) return text;
  if (schema instanceof z.ZodBoolean) return boolean;
  if (schema instanceof z.ZodNumber) return schema.isInt ? integer : number;
  if (schema instanceof z.ZodCustom)
    return (value, issues) => (isObject(value) ? value : addIssue("object", value, issues));
  if (schema instanceof z.ZodUnknown || schema instanceof z.ZodUndefined) return (value) => value;
  throw new TypeError(`No reader for a schema of the kind ${schema.type}`);
}

function objectConverter(schema: z.ZodObject): Convert {
  const members = membersOf(schema).map((member) => ({ ...member, convert: converter(member.schema) }));
  const known = new Map(members.map((member) => [member.wireName, member]));
  const knownNames = new Set(members.map((member) => member.name));
  const required = members.filter((member) => !(member.schema instanceof z.ZodOptional));

  return (value, issues) => {
    if (!isObject(value)) return addIssue("object", value, issues);
    const read: Record<string, unknown> = {};
    for (const wireName of Object.keys(value)) {
      const given = value[wireName];
      if (given === null || given === undefined) continue;
      const member = known.get(wireName);
      if (member === undefined) {
        const name = camelCased(wireName);
        // An unknown member must not replace a known one. `__proto__` is an ordinary name.
        if (!knownNames.has(name)) define(read, name, given);
        continue;
      }
      const before = issues.length;
      read[member.name] = member.convert(given, issues);
      if (issues.length > before) prefixPaths(`.${wireName}`, issues, before);
    }
    for (const { name, wireName } of required) {
      if (name in read) continue;
      addIssue("a value", value[wireName], issues);
      prefixPaths(`.${wireName}`, issues, issues.length - 1);
    }
    return read;
  };
}

function arrayConverter(schema: z.ZodArray): Convert {
  const element = converter(elementOf(schema));
  return (value, issues) => {
    if (!Array.isArray(value)) return addIssue("array", value, issues);
    return value.map((item, at) => {
      const before = issues.length;
      const read = element(item, issues);
      if (issues.length > before) prefixPaths(`[${at}]`, issues, before);
      return read;
    });
  };
}

// One function for each type, because comparing with a type in a variable is several times slower.
const text: Convert = (value, issues) =>
  typeof value === "string" ? value : addIssue("string", value, issues);
const id: Convert = (value, issues) =>
  isIdentifier(value) ? value : addIssue("an id that can stand in a path", value, issues);
const number: Convert = (value, issues) =>
  typeof value === "number" ? value : addIssue("number", value, issues);
const boolean: Convert = (value, issues) =>
  typeof value === "boolean" ? value : addIssue("boolean", value, issues);
const integer: Convert = (value, issues) =>
  Number.isInteger(value) ? value : addIssue("integer", value, issues);

function addIssue(expected: string, value: unknown, issues: ResponseIssue[]): undefined {
  issues.push({ path: "", expected, received: kindOf(value) });
  return undefined;
}

function prefixPaths(part: string, issues: ResponseIssue[], from: number): void {
  for (const [at, issue] of issues.entries()) {
    if (at >= from) issues[at] = { ...issue, path: part + issue.path };
  }
}

/** Returns the kind of a value and never the value, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" && !Number.isInteger(value)) return "a number with a fraction";
  return typeof value;
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

function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  } else target[name] = value;
}

function wireNameOf(name: string, member: z.ZodType): string {
  return wireNames.get(member) ?? wireNames.get(inner(member)) ?? snakeCased(name);
}

function inner(schema: z.ZodType): z.ZodType {
  const wraps =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  const unwrapped = wraps ? schema.unwrap() : schema;
  return unwrapped instanceof z.ZodType ? unwrapped : schema;
}

function elementOf(schema: z.ZodArray): z.ZodType {
  return schema.element instanceof z.ZodType ? schema.element : z.unknown();
}

interface Member {
  readonly name: string;
  readonly wireName: string;
  readonly schema: z.ZodType;
}

const membersOfSchemas = new WeakMap<z.ZodObject, readonly Member[]>();

function membersOf(object: z.ZodObject): readonly Member[] {
  const known = membersOfSchemas.get(object);
  if (known !== undefined) return known;
  const members = Object.entries(object.shape).flatMap(([name, schema]): Member[] =>
    schema instanceof z.ZodType ? [{ name, wireName: wireNameOf(name, schema), schema }] : [],
  );
  membersOfSchemas.set(object, members);
  return members;
}
