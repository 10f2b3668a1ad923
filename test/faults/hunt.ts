import { casesOf, inParallel, learn, plansFor, randomFrom, shuffled } from "./campaign.js";
import { type Hunt, type Mutant, mutants, patchOf } from "./mutants/index.js";
import { verdictOn } from "./report.js";
import { type Case, runCase } from "./run-case.js";

/*
 * Tests the judge: runs broken providers through cases in which they should be noticed.
 */

/** Tried before a mutant counts as not caught. */
const MOST_CASES = 12;

export interface Caught {
  readonly mutant: string;
  readonly breaks: string;
  /** The rule that found it and a command that shows it; absent where it was not caught. */
  readonly by?: { readonly rule: string; readonly text: string; readonly replay: string };
  readonly tried: number;
}

export const mutantNamed = (name: string): Mutant | undefined => mutants.find((each) => each.name === name);

/** Hunts for the mutants that are this process's share. */
export async function huntAll(
  seed: number,
  isMeant: (name: string, index: number) => boolean,
  tell: (caught: Caught) => void,
): Promise<void> {
  const meant = mutants.filter(({ name }, index) => isMeant(name, index));
  await inParallel(meant, async (mutant) => tell(await hunt(mutant, seed)));
}

async function hunt(mutant: Mutant, seed: number): Promise<Caught> {
  const { name, breaks, foundBy } = mutant;
  let tried = 0;
  for (const each of mutant.hunts) {
    for (const candidate of await casesFor(each, mutant, seed)) {
      tried += 1;
      const { problems, replay } = verdictOn(await runCase(candidate));
      const found = problems.find(({ rule }) => foundBy.includes(rule));
      if (found) return { mutant: name, breaks, tried, by: { rule: found.rule, text: found.text, replay } };
    }
  }
  return { mutant: name, breaks, tried };
}

/** What the real provider asks for decides which requests there are to strike. */
async function casesFor(hunt: Hunt, mutant: Mutant, seed: number): Promise<Case[]> {
  const random = randomFrom(seed);
  const plans = plansFor({ seed, mode: hunt.mode }).filter(({ scenario }) =>
    hunt.scenario.test(scenario.name),
  );
  const cases: Case[] = [];
  for (const plan of plans) {
    const { seen } = await learn(plan, { seed });
    const clean: Case = {
      id: `${plan.mode}/${plan.scenario.name}`,
      seed,
      plan,
      strikes: [],
      mutant: patchOf(mutant),
    };
    if (!hunt.fault) cases.push(clean);
    else
      cases.push(
        ...casesOf(plan, seen, { seed, mutant: patchOf(mutant) }).filter((each) => fits(hunt, each)),
      );
  }
  return shuffled(cases, random).slice(0, MOST_CASES);
}

function fits({ fault, request }: Hunt, { strikes: [strike] }: Case): boolean {
  if (!strike) return false;
  const { seen } = strike;
  const isFault = fault?.test(`${strike.fault.name}:${strike.fault.span}`) ?? true;
  return isFault && (request?.test(`${seen.method} ${seen.route}`) ?? true);
}
