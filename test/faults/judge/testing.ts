import type { Evidence } from "../evidence/evidence.js";
import type { Fields, KindName } from "../evidence/kinds.js";
import type { Phase, Printed } from "../evidence/phase.js";
import type { Exchange, Foreign, Live } from "../evidence/service.js";
import type { Declared, StateResource, Step } from "../evidence/stack.js";
import { judge } from "./index.js";

/*
 * Builds evidence for tests: a test gives what matters, and the rest is as after an empty run.
 */

export const urnOf = (kind: KindName, name: string): string =>
  `urn:pulumi:dev::test::pulumi-nodejs:dynamic/cloudservices:${kind}::${name}`;

export const declared = (kind: KindName, name: string, inputs: Fields = {}, options = {}): Declared => ({
  urn: urnOf(kind, name),
  kind,
  name,
  inputs,
  options,
});

export const live = (kind: KindName, id: string, fields: Fields = {}): Live => ({
  kind,
  id,
  tenant: "local",
  fields,
});

export const entry = (
  kind: KindName,
  name: string,
  id: string,
  outputs: Fields = {},
  more: Partial<StateResource> = {},
): StateResource => ({
  urn: urnOf(kind, name),
  kind,
  id,
  inputs: {},
  outputs,
  initErrors: [],
  dependencies: [],
  ...more,
});

export const foreignDatabase: Foreign = {
  kind: "Database",
  id: "db_theirs",
  tenant: "local",
  planted: { phase: 0, when: "before" },
  like: ["name"],
  fields: { name: "orders", plan: "db-starter-1" },
};

/** Members default to those of a success; undefined removes one. */
type GivenExchange = Partial<Omit<Exchange, "index" | "route" | "service" | "sent">> &
  Pick<Exchange, "method" | "target"> & {
    readonly service?: Exchange["service"] | undefined;
    readonly sent?: Exchange["sent"] | undefined;
  };

/** Returns a phase, successful by default. */
function exchange(given: GivenExchange, index: number): Exchange {
  const body = { status: "success", data: {}, ...(given.service?.body as object | undefined) };
  const isWrite = given.method !== "GET";
  const service = "service" in given ? given.service : { status: 200, body, committed: isWrite };
  const sent =
    "sent" in given ? given.sent : service && { status: service.status, headers: {}, body: service.body };
  return {
    at: index * 1_000,
    endedAt: index * 1_000,
    process: 1,
    tenant: "local",
    requestHeaders: {},
    ...withoutUndefined({ ...given, service, sent }),
    index,
    method: given.method,
    target: given.target,
    route: given.target.replace(/\?.*/, "").replace(/\/\w+_\w+/g, "/:id"),
  };
}

/** A member given as undefined is absent. */
function withoutUndefined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** Returns the service's response to a creation. */
export const created = (id: string, more: object = {}) => ({
  status: 201,
  committed: true,
  body: { status: "success", data: { id, ...more } },
});

interface GivenPhase extends Partial<Omit<Phase, "state" | "exchanges">> {
  readonly exchanges?: readonly GivenExchange[];
  readonly state?: readonly StateResource[];
  readonly pending?: readonly string[];
  readonly stateText?: string;
}

interface Given extends Partial<Omit<Evidence, "phases" | "programs" | "exchanges">> {
  readonly phases: readonly GivenPhase[];
  /** The program of all phases. */
  readonly program?: readonly Declared[];
  readonly programs?: readonly (readonly Declared[])[];
}

function evidenceOf({ phases, program = [], programs = [program], ...given }: Given): Evidence {
  const exchanges: Exchange[] = [];
  const made = phases.map((phase, at): Phase => {
    const from = exchanges.length;
    for (const each of phase.exchanges ?? []) exchanges.push(exchange(each, exchanges.length));
    return {
      name: "broken",
      command: "up",
      program: 0,
      outcome: "ok",
      startedAt: at * 10_000,
      endedAt: at * 10_000 + 5_000,
      typed: [],
      printed: [],
      offered: { ids: [], names: [], fixes: [] },
      steps: [],
      journal: [0, 0],
      live: [],
      settings: {},
      ...phase,
      exchanges: [from, exchanges.length],
      state: {
        resources: phase.state ?? [],
        pending: (phase.pending ?? []).map((urn) => ({ op: "creating", urn })),
        text: phase.stateText ?? "",
      },
    };
  });
  return {
    id: "case",
    seed: 1,
    replay: "npm run faults -- --replay case",
    mode: "conventional",
    scenario: { name: "create", kind: "Database", operation: "create" },
    faults: [
      { name: "status-500-after", class: "status", span: "once", phase: 0, when: "after", struck: [0] },
    ],
    journal: [],
    foreign: [],
    secrets: {},
    files: [],
    ending: { result: "recovered", runs: 1, stops: [], complaints: [] },
    ...given,
    programs: programs.map((resources) => ({ resources })),
    phases: made,
    exchanges,
  };
}

export const diagnostic = (text: string, urn?: string): Printed => ({
  kind: "diagnostic",
  text,
  ...(urn === undefined ? {} : { urn }),
});

export const step = (op: Step["op"], urn: string, outcome: Step["outcome"] = "ok"): Step => ({
  op,
  urn,
  outcome,
});

/** Returns the texts of what one rule finds. */
export const foundBy = (rule: string, given: Given): string[] =>
  judge(evidenceOf(given))
    .filter((violation) => violation.rule === rule)
    .map(({ text }) => text);
