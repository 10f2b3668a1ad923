import { z } from "zod";
import type { AnswerIssue } from "./errors.js";
import { isIdentifier } from "./identifier.js";
import { isObject } from "./json.js";
import { camelCased, snakeCased } from "./names.js";

/**
 * The one place where camelCase meets the wire's snake_case. It follows the schemas, not the data: members that
 * a schema knows are converted, what is below a free-form or unknown member is passed through untouched.
 */

const wireNames = new WeakMap<z.ZodType, string>();

/** For a member that the wire does not spell in snake_case, e.g. `TTL`. */
export function spelt<T extends z.ZodType>(schema: T, wireName: string): T {
  wireNames.set(schema, wireName);
  return schema;
}

const identifiers = new WeakSet<z.ZodType>();

/** An id that the service gives: one that could lead to another path is as good as none. */
export function identifier(): z.ZodString {
  const schema = z.string();
  identifiers.add(schema);
  return schema;
}

/** An object whose members are the caller's or the service's own affair: never renamed, never inspected. */
export function freeForm(): z.ZodCustom<Record<string, unknown>, Record<string, unknown>> {
  return z.custom<Record<string, unknown>>(isObject, { error: "expected an object" });
}

/** Issues get the path of what they are about on the way back up: almost every answer has none. */
type Convert = (value: unknown, issues: AnswerIssue[]) => unknown;

/** A value that was read, or everything about it that breaks the documented type. */
export type Read<T> = { readonly value: T } | { readonly issues: readonly AnswerIssue[] };

export type Reader<T> = (value: unknown) => Read<T>;

/**
 * Makes the reader of a schema. Answers are read with tolerance: `null` is the same as absent, unknown members
 * and new values of enumerations are kept. Only what the schema demands has to be there.
 */
export function readerOf<S extends z.ZodType>(schema: S): Reader<z.output<S>> {
  const convert = converter(schema);
  return (wire) => {
    const issues: AnswerIssue[] = [];
    // The converter follows the schema, so that what it read without an issue is what the schema puts out.
    const isOutput = (_: unknown): _ is z.output<S> => issues.length === 0;
    const value = convert(wire, issues);
    if (isOutput(value)) return { value };
    below("data", issues, 0);
    return { issues };
  };
}

function converter(schema: z.ZodType): Convert {
  if (schema instanceof z.ZodOptional) return converter(inner(schema));
  if (schema instanceof z.ZodObject) return objectConverter(schema);
  if (schema instanceof z.ZodArray) return arrayConverter(schema);
  if (identifiers.has(schema)) return id;
  if (schema instanceof z.ZodString) return text;
  if (schema instanceof z.ZodBoolean) return truth;
  if (schema instanceof z.ZodNumber) return schema.isInt ? integer : number;
  if (schema instanceof z.ZodCustom)
    return (value, issues) => (isObject(value) ? value : broken("object", value, issues));
  if (schema instanceof z.ZodUnknown || schema instanceof z.ZodUndefined) return (value) => value;
  throw new TypeError(`No reader for a schema of the kind ${schema.type}`);
}

function objectConverter(schema: z.ZodObject): Convert {
  const members = membersOf(schema).map((member) => ({ ...member, convert: converter(member.schema) }));
  const known = new Map(members.map((member) => [member.wireName, member]));
  const taken = new Set(members.map((member) => member.name));
  const demanded = members.filter((member) => !(member.schema instanceof z.ZodOptional));

  return (value, issues) => {
    if (!isObject(value)) return broken("object", value, issues);
    const read: Record<string, unknown> = {};
    for (const wireName of Object.keys(value)) {
      const given = value[wireName];
      if (given === null || given === undefined) continue;
      const member = known.get(wireName);
      if (member === undefined) {
        const name = camelCased(wireName);
        // A newcomer must not stand in for a member that is known; and `__proto__` is a name like any other.
        if (!taken.has(name)) define(read, name, given);
        continue;
      }
      const before = issues.length;
      read[member.name] = member.convert(given, issues);
      if (issues.length > before) below(`.${wireName}`, issues, before);
    }
    for (const { name, wireName } of demanded) {
      if (name in read) continue;
      broken("a value", value[wireName], issues);
      below(`.${wireName}`, issues, issues.length - 1);
    }
    return read;
  };
}

function arrayConverter(schema: z.ZodArray): Convert {
  const element = converter(elementOf(schema));
  return (value, issues) => {
    if (!Array.isArray(value)) return broken("array", value, issues);
    return value.map((item, at) => {
      const before = issues.length;
      const read = element(item, issues);
      if (issues.length > before) below(`[${at}]`, issues, before);
      return read;
    });
  };
}

// One function each, because comparing with a type that is only known at run time costs several times as much.
const text: Convert = (value, issues) =>
  typeof value === "string" ? value : broken("string", value, issues);
const id: Convert = (value, issues) =>
  isIdentifier(value) ? value : broken("an id that can stand in a path", value, issues);
const number: Convert = (value, issues) =>
  typeof value === "number" ? value : broken("number", value, issues);
const truth: Convert = (value, issues) =>
  typeof value === "boolean" ? value : broken("boolean", value, issues);
const integer: Convert = (value, issues) =>
  Number.isInteger(value) ? value : broken("integer", value, issues);

function broken(expected: string, value: unknown, issues: AnswerIssue[]): undefined {
  issues.push({ path: "", expected, received: kindOf(value) });
  return undefined;
}

function below(part: string, issues: AnswerIssue[], from: number): void {
  for (const [at, issue] of issues.entries()) {
    if (at >= from) issues[at] = { ...issue, path: part + issue.path };
  }
}

/** The kind and never the value, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" && !Number.isInteger(value)) return "a number with a fraction";
  return typeof value;
}

/** Writes an input that its schema accepted. Members that are undefined are left out. */
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
