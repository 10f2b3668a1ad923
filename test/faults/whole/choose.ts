import { randomFrom } from "../../../sandbox/test/random.js";
import { casesOf, type Filter, idOf, plansFor, runClean, shuffled } from "../campaign.js";
import type { Case } from "../case/case.js";
import type { Fault, SeenRequest } from "../catalogue/fault.js";
import { stratified } from "../sampling.js";
import type { Plan } from "../scenarios.js";

/*
 * Chooses the cases for the real engine: one for each kind, operation and class of faults, and each kind of kill.
 */

/** Faults that take minutes or never end in real time. */
const SLOW = /^(provisioning-(slow|stuck)|429-(absurd|date)|service-down)$/;

/** Kills the service, which restarts with its data. */
function sandboxKills(): Fault[] {
  const kill = { class: "kill", span: "once" } as const;
  return [
    {
      ...kill,
      name: "kill-sandbox-before",
      when: "before",
      strike: (hop) => {
        hop.kill("sandbox");
        hop.reset();
      },
    },
    {
      ...kill,
      name: "kill-sandbox-after-commit",
      when: "after",
      strike: async (hop) => {
        await hop.forward();
        hop.kill("sandbox");
        hop.reset();
      },
    },
  ];
}

/** Returns every case that could run on the real engine. */
async function possible(plan: Plan, filter: Filter): Promise<Case[]> {
  const { seen } = await runClean(plan, filter);
  const { id: _, ...all } = filter;
  return [
    ...casesOf(plan, seen, all).filter(({ strikes }) =>
      strikes.every(({ fault }) => !SLOW.test(fault.name) && !isLong(fault)),
    ),
    ...seen.flatMap((request) => sandboxKills().map((fault) => caseOf(plan, request, fault, filter))),
  ];
}

/** The number of polls depends on real time, so a later poll may never happen. */
const isCertain = ({ seen }: Case["strikes"][number]): boolean =>
  seen.method !== "GET" || seen.occurrence === 0;

/** Every request is lost, and each waits for its own timeout. */
const isLong = ({ class: of, span }: Fault): boolean => of === "stall" && span === "every";

function caseOf(plan: Plan, seen: SeenRequest, fault: Fault, { seed }: Filter): Case {
  const strikes = [{ seen, fault }];
  return { id: idOf(plan, strikes), seed, plan, strikes };
}

/** Shuffles by the seed. */
export async function wholeCases(filter: Filter, sample: number | undefined): Promise<Case[]> {
  const all = plansFor(filter);
  // Only a run shows the requests of a scenario.
  const plans = sample === undefined ? all : shuffled(all, randomFrom(filter.seed)).slice(0, 2 * sample);
  const every: Case[] = [];
  for (const plan of plans) every.push(...(await possible(plan, filter)));
  if (filter.id !== undefined) return every.filter(({ id }) => id === filter.id);
  const chosen = new Map<string, Case>();
  for (const each of stratified(every, filter.seed)) {
    const [strike] = each.strikes;
    if (!strike || !isCertain(strike)) continue;
    if (filter.fault !== undefined && !strike.fault.name.startsWith(filter.fault)) continue;
    const { kind, operation } = each.plan.scenario;
    const { name, class: of } = strike.fault;
    const key = [kind, operation, of === "kill" ? name : of].join(" ");
    if (!chosen.has(key)) chosen.set(key, each);
  }
  return stratified([...chosen.values()], filter.seed).slice(0, sample);
}
