import { createHash } from "node:crypto";
import type { Case } from "./case/case.js";

/**
 * Orders cases so that every prefix is spread evenly: each round takes one case of every kind and class of faults, with
 * another operation and mode in each round.
 */
export function stratified(cases: readonly Case[], seed: number): Case[] {
  const strata = groups(drawn(cases, seed), ({ plan, strikes }) =>
    [plan.scenario.kind, strikes[0]?.fault.class, strikes.length].join(" "),
  ).map((stratum) => inRounds(groups(stratum, ({ plan }) => `${plan.mode} ${plan.scenario.operation}`)));
  return inRounds(strata);
}

/** Shuffles by a hash of the id, so that a seed chooses the same cases when the catalogue grows. */
function drawn(cases: readonly Case[], seed: number): Case[] {
  const at = ({ id }: Case) => createHash("sha256").update(`${seed} ${id}`).digest("hex");
  return cases
    .map((each) => ({ each, at: at(each) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ each }) => each);
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

/** Takes the first of each list, then the second of each, and so on. */
function inRounds<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    lists.flatMap((list) => {
      const item = list[round];
      return item === undefined ? [] : [item];
    }),
  ).flat();
}
