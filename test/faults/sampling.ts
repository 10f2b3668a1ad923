import { shuffled } from "./campaign.js";
import type { Case } from "./run-case.js";

/**
 * Orders cases so that any beginning of them is spread evenly: each round takes one case of every kind and class of
 * faults, of another operation and mode in each round.
 */
export function stratified(cases: readonly Case[], random: () => number): Case[] {
  const strata = groups(shuffled(cases, random), ({ plan, strikes }) =>
    [plan.scenario.kind, strikes[0]?.fault.class, strikes.length].join(" "),
  ).map((stratum) => inRounds(groups(stratum, ({ plan }) => `${plan.mode} ${plan.scenario.operation}`)));
  return inRounds(shuffled(strata, random));
}

function groups<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = found.get(key);
    if (group) group.push(item);
    else found.set(key, [item]);
  }
  return [...found.values()];
}

/** The first of each, then the second of each, and so on. */
function inRounds<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    lists.flatMap((list) => {
      const item = list[round];
      return item === undefined ? [] : [item];
    }),
  ).flat();
}
