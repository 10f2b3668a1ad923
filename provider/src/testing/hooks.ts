import { expect } from "vitest";
import { handlers } from "../dynamic.js";
import type { Values } from "../kernel/values.js";
import { CASES, type KindName, SECRETS } from "./kinds.js";

/*
 * Calls the hooks as the engine's host does.
 */

const urnOf = (name: string) => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:${name}::it`;

/** Inputs as the engine hands them to `create`: they have passed `check`. */
export async function checked(name: KindName, news: Values, olds: Values = {}): Promise<Values> {
  const inputs = {
    ...CASES[name].inputs,
    customTimeouts: { create: "20s", update: "20s", delete: "20s" },
    __urn: urnOf(name),
    ...news,
  };
  const { inputs: kept, failures } = await handlers[name].check(olds, inputs);
  expect(failures).toEqual([]);
  return { ...asHandedOver(kept), __provider: "the text" };
}

const SECRET_MARK = "4dabf18193072939515e22adb298388d";

/** Properties as the engine hands them to a hook: without the marks of secrets. */
export const asHandedOver = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isMarked = typeof value === "object" && value !== null && SECRET_MARK in value;
      return [name, isMarked && "value" in value ? value.value : value];
    }),
  );

export interface Ended {
  readonly id: unknown;
  readonly outs: unknown;
  readonly message: string;
}

/** Calls a hook and looks at what leaves it, however it ends. */
export async function ended(
  work: Promise<{ id?: string; outs?: Values; props?: Values; inputs?: Values } | undefined>,
): Promise<Ended> {
  let end: Ended;
  try {
    const kept = await work;
    end = { id: kept?.id, outs: kept?.outs ?? kept?.props, message: "" };
    requireRepresentable(kept?.inputs ?? {});
  } catch (error) {
    if (typeof error !== "object" || error === null) throw error;
    const said: unknown = Reflect.get(error, "message");
    if (typeof said !== "string") throw new Error("It has no message.");
    expect(Reflect.get(error, "stack")).toBe(said);
    end = { id: Reflect.get(error, "id"), outs: Reflect.get(error, "properties"), message: said };
    if (end.id !== undefined) expect(end.outs).toMatchObject({ __provider: "the text", __state: {} });
  }
  requireRepresentable(end.outs ?? {});
  for (const secret of Object.values(SECRETS)) expect(end.message).not.toContain(secret);
  expect(end.message).not.toMatch(/\p{Surrogate}/u);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
  return end;
}

/** What the engine can carry: JSON, and no text that UTF-8 cannot spell. */
function requireRepresentable(value: unknown): void {
  const text = JSON.stringify(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(
    JSON.stringify(value, (_key, member: unknown) => (member === undefined ? "undefined!" : member)),
  ).toBe(text);
  expect(text).not.toMatch(/\\ud[89a-f]/i);
}
