import { ConflictError, FailedStateError, NotFoundError, ServerError } from "cloudservices-sdk";
import { text } from "../kernel/definition/fields.js";
import type { Kind } from "../kernel/definition/kind.js";
import type { Properties } from "../kernel/definition/properties.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { clientOf } from "../kernel/stack/client.js";
import { Scope } from "../kernel/stack/scope.js";
import { Session } from "../kernel/stack/session.js";
import { listOf } from "./list.js";
import { check } from "./operations.js";

/*
 * A minimal kind on an in-memory service, for tests of what the kernel does with every kind.
 */

export interface Inputs {
  name?: string;
  colour?: string;
  hidden?: string;
}

export interface Remote {
  id: string;
  name: string;
  colour?: string | undefined;
  createdAt: string;
}

export const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Thing::thing";
export const facts = { message: "it went wrong", outcome: "ambiguous" } as const;
export const lostResponse = () => new ServerError(facts);
const conflict = () => new ConflictError({ message: "taken", outcome: "rejected", timestamp: 1_000 });
const gone = () => new NotFoundError({ message: "not found", outcome: "rejected" });

/** Creates an in-memory service with faults that a test injects. */
export function service() {
  const things = new Map<string, Remote>();
  const calls: string[] = [];
  const faults: { on: string; when: "before" | "after"; error: () => Error }[] = [];
  let number = 0;

  async function call<T>(on: string, work: () => T): Promise<T> {
    calls.push(on);
    const at = faults.findIndex((fault) => fault.on === on);
    const [fault] = at < 0 ? [] : faults.splice(at, 1);
    if (fault?.when === "before") throw fault.error();
    const result = work();
    if (fault) throw fault.error();
    return result;
  }
  const find = (id: string) => {
    const found = things.get(id);
    if (!found) throw gone();
    return found;
  };
  const add = (inputs: Inputs): Remote => {
    const thing = {
      id: `t${++number}`,
      name: inputs.name ?? "",
      colour: inputs.colour,
      createdAt: new Date(1_000_000).toISOString(),
    };
    things.set(thing.id, thing);
    return thing;
  };
  const kind: Kind<Inputs, Remote> = {
    name: "Thing",
    inputs: {
      name: { schema: text(), onChange: "replace", optional: true, from: (remote) => remote.name },
      colour: { schema: text(), onChange: "update", optional: true, from: (remote) => remote.colour },
      hidden: { schema: text(), onChange: "update", optional: true },
    },
    outputs: {},
    timeouts: { create: 1_000, update: 1_000, delete: 1_000 },
    naming: { field: "name", form: "readable" },
    identity: { by: ["name"], matches: (remote, inputs) => remote.name === inputs.name },
    id: (remote) => remote.id,
    create: (_api, inputs) => call("create", () => add(inputs)),
    read: (_api, id) => call("read", () => find(id)),
    list: () => listOf(call("list", () => [...things.values()])),
    update: (_api, id, changes) =>
      call("update", () => Object.assign(find(id), changes.colour ? { colour: changes.colour } : {})),
    delete: (_api, id) => call("delete", () => void things.delete(find(id).id)),
  };
  const unique: Kind<Inputs, Remote> = {
    ...kind,
    naming: {
      field: "name",
      form: "hash",
      unique: true,
      createdAt: (remote) => remote.createdAt,
    },
    create: (_api, inputs) =>
      call("create", () => {
        if ([...things.values()].some(({ name }) => name === inputs.name)) throw conflict();
        return add(inputs);
      }),
  };
  return { kind, unique, things, calls, faults, add };
}

/** Returns the kind of resources that the service fails to provision. */
export const failing = (kind: Kind<Inputs, Remote>): Kind<Inputs, Remote> => ({
  ...kind,
  readiness: {
    phase: () => "failed",
    status: () => "failed",
    reason: () => "no capacity",
    wait: async () => {
      throw new FailedStateError({ message: "it failed: no capacity" }, "failed");
    },
    waitUntilDeleted: async () => undefined,
  },
});

const baseConfig: Record<string, string> = {
  "cloudservices:apiKey": "key",
  "cloudservices:baseUrl": "https://api.test/v1",
};

export function open(kind: Kind<Inputs, Remote>, config: Record<string, string> = {}) {
  const settings = readSettings((key) => ({ ...baseConfig, ...config })[key], {});
  const warnings: string[] = [];
  const reporter = {
    status: () => undefined,
    warn: (_urn: string | undefined, message: string) => void warnings.push(message),
  };
  const clock = { now: () => 1_000_000, sleep: async () => undefined };
  const session = new Session(settings, clientOf(settings), reporter, clock);
  const scope = new Scope(kind, session);
  const checked = (news: Properties, olds: Properties = {}) =>
    check(kind, olds, { ...news, __urn: urn }, settings, session.names).inputs;
  return { scope, session, warnings, checked };
}

export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error("It was expected to fail.");
    },
    (error: unknown) => error,
  );
