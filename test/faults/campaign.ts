import type { Case, FaultAt } from "./case/case.js";
import { runCase } from "./case/run-case.js";
import { faultsFor } from "./catalogue/catalogue.js";
import type { Fault, SeenRequest } from "./catalogue/fault.js";
import type { Evidence } from "./evidence/evidence.js";
import type { ApiMode } from "./evidence/kinds.js";
import type { Patch } from "./host/compile.js";
import { type Plan, plansOf } from "./scenarios.js";

/*
 * Lists the cases: every request of every scenario with every fault that can strike it.
 */

export type Mutant = { readonly name: string; readonly apply: Patch };

/** The part of the campaign to run. An absent member selects all. */
export interface Filter {
  readonly seed: number;
  readonly mode?: string | undefined;
  readonly kind?: string | undefined;
  readonly scenario?: string | undefined;
  /** A prefix of the fault's name. */
  readonly fault?: string | undefined;
  readonly id?: string | undefined;
  readonly mutant?: Mutant | undefined;
}

const modes: readonly ApiMode[] = ["conventional", "documented"];

export function plansFor({ mode, kind, scenario, id }: Filter): Plan[] {
  return modes
    .flatMap(plansOf)
    .filter((plan) => mode === undefined || plan.mode === mode)
    .filter((plan) => kind === undefined || plan.scenario.kind === kind)
    .filter((plan) => scenario === undefined || plan.scenario.name === scenario)
    .filter((plan) => id === undefined || idOf(plan, []) === id.split(" ")[0]);
}

export const idOf = (plan: Plan, strikes: readonly FaultAt[]): string =>
  [
    `${plan.mode}/${plan.scenario.name}`,
    ...strikes.map(({ seen, fault }) => `${seen.index}:${fault.name}:${fault.span}`),
  ].join(" ");

/** Runs a scenario without faults, and returns the requests of the command to break. */
export async function runClean(
  plan: Plan,
  filter: Filter,
): Promise<{ evidence: Evidence; seen: SeenRequest[] }> {
  const evidence = await runCase(caseOf(plan, [], filter));
  const broken = evidence.phases.find(({ name }) => name === "broken");
  const counts = new Map<string, number>();
  const seen = evidence.exchanges
    .slice(...(broken?.exchanges ?? [0, 0]))
    .map(({ method, route, target, sent, requestBody }, index) => {
      const key = `${method} ${route}`;
      const occurrence = counts.get(key) ?? 0;
      counts.set(key, occurrence + 1);
      const response = sent && { status: sent.status, headers: sent.headers, body: sent.body };
      return { index, occurrence, method, route, target, response, requestBody };
    });
  return { evidence, seen };
}

const caseOf = (plan: Plan, strikes: readonly FaultAt[], { seed, mutant }: Filter): Case => ({
  id: idOf(plan, strikes),
  seed,
  plan,
  strikes,
  ...(mutant && { mutant }),
});

/** Returns a case for each request and fault. */
export function casesOf(plan: Plan, seen: readonly SeenRequest[], filter: Filter): Case[] {
  const strikes = strikesOn(plan, seen);
  if (filter.id !== undefined)
    return [...single(strikes), ...pairsIn(strikes, filter.id)].map(made).filter(isMeant);
  return single(strikes).map(made).filter(isMeant);

  function made(each: readonly FaultAt[]): Case {
    return caseOf(plan, each, filter);
  }
  function isMeant({ id, strikes: [first] }: Case): boolean {
    if (filter.id !== undefined) return id === filter.id;
    return filter.fault === undefined || (first?.fault.name.startsWith(filter.fault) ?? false);
  }
}

const strikesOn = (plan: Plan, seen: readonly SeenRequest[]): FaultAt[] =>
  seen.flatMap((request) => faultsFor(request, plan.mode).map((fault: Fault) => ({ seen: request, fault })));

const single = (strikes: readonly FaultAt[]): FaultAt[][] => strikes.map((strike) => [strike]);

/** Returns the pair of faults in an id. */
function pairsIn(strikes: readonly FaultAt[], id: string): FaultAt[][] {
  const [, ...named] = id.split(" ");
  if (named.length < 2) return [];
  const found = named.map((name) =>
    strikes.find(({ seen, fault }) => `${seen.index}:${fault.name}:${fault.span}` === name),
  );
  return [found.filter((strike) => strike !== undefined)];
}

/** Returns random cases with two faults. The second strikes the same request or a later one. */
export function randomPairs(
  plan: Plan,
  seen: readonly SeenRequest[],
  filter: Filter,
  count: number,
  random: () => number,
): Case[] {
  const strikes = strikesOn(plan, seen);
  const pick = () => strikes[Math.floor(random() * strikes.length)];
  return Array.from({ length: strikes.length > 1 ? count : 0 }, () => {
    const two = [pick(), pick()].filter((strike) => strike !== undefined);
    two.sort((a, b) => a.seen.index - b.seen.index);
    return caseOf(plan, two, filter);
  });
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

/** Runs three at a time, enough to keep one core busy. */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const workers = Array.from({ length: 3 }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  });
  await Promise.all(workers);
}
