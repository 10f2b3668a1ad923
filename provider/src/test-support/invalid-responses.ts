import type { Properties } from "../kernel/definition/properties.js";
import { CASES, type KindName, SECRETS } from "./kinds.js";

/*
 * Invalid responses: each member of a response is in turn missing, of another type, or hostile.
 */

/** Raw JSON, because a JavaScript object cannot represent some of the hostile values. */
export const HOSTILE: Readonly<Record<string, string | undefined>> = {
  missing: undefined,
  null: "null",
  number: "7",
  infinite: "1e999",
  boolean: "true",
  array: '["%"]',
  object: '{"%":"%"}',
  polluting: '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  empty: '""',
  "raw percent": '"%"',
  "raw percent in an address": '"postgresql://app:50%@db.test:5432/app"',
  "name of the prototype": '"__proto__"',
  long: JSON.stringify("long ".repeat(600)),
  emoji: '"👩‍👩‍👧 \\ud83d\\ude00"',
  "lone surrogate": '"a\\ud800z"',
  control: '"line\\nbreak\\u0000\\u001b[31m"',
};

/** Returns a response in which the member at a path is replaced. */
export function render(value: unknown, path?: string, raw?: string): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  const [first, ...rest] = path?.split(".") ?? [];
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name !== first) return [`${JSON.stringify(name)}:${render(member)}`];
    if (rest.length > 0) return [`${JSON.stringify(name)}:${render(member, rest.join("."), raw)}`];
    return raw === undefined ? [] : [`${JSON.stringify(name)}:${raw}`];
  });
  return `{${members.join(",")}}`;
}

const pathsIn = (response: Properties): string[] =>
  Object.entries(response).flatMap(([name, value]) => [
    name,
    ...(typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((member) => `${name}.${member}`)
      : []),
  ]);

/** Returns the values that replace a member; a service may repeat the secrets that it knows. */
const hostileTo = (name: KindName): [string, string | undefined][] => [
  ...Object.entries(HOSTILE),
  ["secret", JSON.stringify([SECRETS.key, ...(CASES[name].secrets ?? [])].join(" "))],
];

/** Returns whether the value has another type than text; wrong texts affect fewer places. */
export const breaksTypes = (raw: string | undefined): boolean => !raw?.startsWith('"');

type Broken = readonly [what: string, path: string, raw: string | undefined];

export const brokenResponses = (name: KindName): Broken[] =>
  pathsIn(CASES[name].response).flatMap((path) =>
    hostileTo(name).map(([how, raw]): Broken => [`${path} ${how}`, path, raw]),
  );

/** The ordinary values, which slow tests skip. */
const PLAIN = /( boolean| emoji| infinite| long| name of the prototype| control)$/;
export const fewer = (cases: Broken[]) => cases.filter(([what]) => !PLAIN.test(what));

export const withoutId = (name: KindName) =>
  brokenResponses(name).filter(([, path]) => path !== CASES[name].idMember);

/** Returns the expected id, if the response contains a usable one. */
export const wanted = (name: KindName, path: string, raw: string | undefined): string | undefined => {
  const { idMember, id } = CASES[name];
  if (path !== idMember) return id;
  const shown: unknown = raw === undefined ? undefined : JSON.parse(raw);
  // A text that could lead to another path is no usable id: no request could contain it.
  return typeof shown === "string" && /^(?!\.{1,2}$)[^/\\\p{Cc}\p{Cs}]+$/u.test(shown) ? shown : undefined;
};
