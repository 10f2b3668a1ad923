import { randomFrom } from "../../../sandbox/test/random.js";
import { casesOf, type Filter, idOf, learn, plansFor, shuffled } from "../campaign.js";
import type { Case } from "../case/case.js";
import type { Fault, Seen } from "../catalogue/fault.js";
import { stratified } from "../sampling.js";
import type { Plan } from "../scenarios.js";

/*
 * Which cases run on the whole engine: for each kind, operation and class of fault one, and each way of killing.
 */

/** What takes minutes, or for ever, where time is real. */
const SLOW = /^(provisioning-(slow|stuck)|429-(absurd|date)|service-down)$/;

/** The service itself is killed, and comes back with its data. */
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

/** Every case that could run on the whole engine. */
async function possible(plan: Plan, filter: Filter): Promise<Case[]> {
  const { seen } = await learn(plan, filter);
  const { id: _, ...all } = filter;
  return [
    ...casesOf(plan, seen, all).filter(({ strikes }) =>
      strikes.every(({ fault }) => !SLOW.test(fault.name) && !isLong(fault)),
    ),
    ...seen.flatMap((request) => sandboxKills().map((fault) => caseOf(plan, request, fault, filter))),
  ];
}

/** How often something is polled depends on real time, so that a later poll may never come. */
const isCertain = ({ seen }: Case["strikes"][number]): boolean =>
  seen.method !== "GET" || seen.occurrence === 0;

/** Each of its requests is lost, and each waits for its own time. */
const isLong = ({ class: of, span }: Fault): boolean => of === "stall" && span === "every";

function caseOf(plan: Plan, seen: Seen, fault: Fault, { seed }: Filter): Case {
  const strikes = [{ seen, fault }];
  return { id: idOf(plan, strikes), seed, plan, strikes };
}

/** Chosen by the seed. */
export async function wholeCases(filter: Filter, sample: number | undefined): Promise<Case[]> {
  const all = plansFor(filter);
  // To know the requests of a scenario takes a run of it.
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
