import assert from "node:assert/strict";
import { handlers } from "../dynamic.js";
import type { Properties } from "../kernel/definition/properties.js";
import { CASES, type KindName, SECRETS } from "./kinds.js";

/*
 * Calls the hooks like the engine's host.
 */

const urnOf = (name: string) => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:${name}::it`;

/** Returns inputs as the engine passes them to `create`, after `check`. */
export async function checked(name: KindName, news: Properties, olds: Properties = {}): Promise<Properties> {
  const inputs = {
    ...CASES[name].inputs,
    customTimeouts: { create: "20s", update: "20s", delete: "20s" },
    __urn: urnOf(name),
    ...news,
  };
  const { inputs: kept, failures } = await handlers[name].check(olds, inputs);
  assert.deepEqual(failures, []);
  return { ...withoutSecretMarks(kept), __provider: "the text" };
}

const SECRET_MARK = "4dabf18193072939515e22adb298388d";

/** Returns properties as the engine passes them to a hook: without the marks of secrets. */
export const withoutSecretMarks = (values: Properties): Properties =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isMarked = typeof value === "object" && value !== null && SECRET_MARK in value;
      return [name, isMarked && "value" in value ? value.value : value];
    }),
  );

export interface HookOutcome {
  readonly id: unknown;
  readonly outs: unknown;
  readonly message: string;
}

/** Awaits a hook and checks its result or error. */
export async function outcomeOf(
  work: Promise<{ id?: string; outs?: Properties; props?: Properties; inputs?: Properties } | undefined>,
): Promise<HookOutcome> {
  let end: HookOutcome;
  try {
    const kept = await work;
    end = { id: kept?.id, outs: kept?.outs ?? kept?.props, message: "" };
    requireRepresentable(kept?.inputs ?? {});
  } catch (error) {
    if (typeof error !== "object" || error === null) throw error;
    const message: unknown = Reflect.get(error, "message");
    if (typeof message !== "string") throw new Error("The error has no message.");
    assert.equal(Reflect.get(error, "stack"), message);
    end = { id: Reflect.get(error, "id"), outs: Reflect.get(error, "properties"), message };
    if (end.id !== undefined) requireKept(end.outs);
  }
  requireRepresentable(end.outs ?? {});
  for (const secret of Object.values(SECRETS)) assert.ok(!end.message.includes(secret));
  assert.doesNotMatch(end.message, /\p{Surrogate}/u);
  assert.equal(Reflect.get({}, "polluted"), undefined);
  return end;
}

/** Requires that outputs contain the handler text and the provider's own state. */
function requireKept(outs: unknown): void {
  assert.ok(typeof outs === "object" && outs !== null);
  assert.equal(Reflect.get(outs, "__provider"), "the text");
  assert.match(String(Reflect.get(outs, "__state")), /^\["/);
}

/** Requires that the engine can carry the value: JSON, and no text that UTF-8 cannot represent. */
function requireRepresentable(value: unknown): void {
  const text = JSON.stringify(value);
  assert.deepEqual(JSON.parse(text), value);
  assert.doesNotMatch(text, /\\ud[89a-f]/i);
}
