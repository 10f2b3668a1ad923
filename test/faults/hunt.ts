import { randomFrom } from "../../sandbox/test/random.js";
import { casesOf, inParallel, plansFor, runClean, shuffled } from "./campaign.js";
import type { Case } from "./case/case.js";
import { runCase } from "./case/run-case.js";
import { type Hunt, type Mutant, mutants, patchOf } from "./mutants/index.js";
import { type Problem, verdictOn } from "./report.js";
import type { Plan } from "./scenarios.js";

/*
 * Tests the judge: runs broken providers (mutants) in cases that should expose them. A case counts only if the real
 * provider keeps the rule that the mutant breaks.
 */

/** The number of cases tried before a mutant counts as not caught. */
const MOST_CASES = 12;

export interface Caught {
  readonly mutant: string;
  readonly breaks: string;
  /** The rule that found it, and a command that shows it. Absent: not caught. */
  readonly by?: { readonly rule: string; readonly text: string; readonly replay: string };
  readonly tried: number;
  /** Cases where the real provider breaks the rule as well: a defect of the provider or of the judge. */
  readonly falseAlarms: readonly { readonly rule: string; readonly text: string; readonly replay: string }[];
}

export const mutantNamed = (name: string): Mutant | undefined => mutants.find((each) => each.name === name);

/** Hunts this process's share of the mutants. */
export async function huntAll(
  seed: number,
  isMeant: (name: string, index: number) => boolean,
  report: (caught: Caught) => void,
): Promise<void> {
  const hunter = new Hunter(seed);
  const meant = mutants.filter(({ name }, index) => isMeant(name, index));
  await inParallel(meant, async (mutant) => report(await hunter.hunt(mutant)));
}

/** Runs each scenario and case of the real provider only once for all mutants. */
class Hunter {
  readonly #seed: number;
  readonly #plans: readonly Plan[];
  readonly #learnt = new Map<Plan, ReturnType<typeof runClean>>();
  readonly #ofProvider = new Map<string, Promise<readonly Problem[]>>();

  constructor(seed: number) {
    this.#seed = seed;
    this.#plans = plansFor({ seed });
  }

  async hunt(mutant: Mutant): Promise<Caught> {
    const { name, breaks, foundBy } = mutant;
    const isMeant = ({ rule }: Problem) => foundBy.includes(rule);
    const falseAlarms: NonNullable<Caught["by"]>[] = [];
    let tried = 0;
    for (const each of await this.#casesFor(mutant)) {
      tried += 1;
      const { problems, replay } = verdictOn(await runCase({ ...each, mutant: patchOf(mutant) }));
      const found = problems.find(isMeant);
      if (found === undefined) continue;
      const by = { rule: found.rule, text: found.text, replay };
      const alarm = (await this.#problemsOfProvider(each)).find(isMeant);
      if (alarm === undefined) return { mutant: name, breaks, tried, by, falseAlarms };
      falseAlarms.push({ rule: alarm.rule, text: alarm.text, replay });
    }
    return { mutant: name, breaks, tried, falseAlarms };
  }

  #problemsOfProvider(each: Case): Promise<readonly Problem[]> {
    const known = this.#ofProvider.get(each.id) ?? runCase(each).then((run) => verdictOn(run).problems);
    this.#ofProvider.set(each.id, known);
    return known;
  }

  async #casesFor({ name, hunts }: Mutant): Promise<Case[]> {
    const cases = (await Promise.all(hunts.map((hunt) => this.#casesOf(hunt)))).flat();
    if (cases.length === 0) throw new Error(`mutant ${name}: the campaign has no case like its hunts`);
    return shuffled(cases, randomFrom(this.#seed)).slice(0, MOST_CASES);
  }

  /** The requests of the real provider determine which faults are possible. */
  async #casesOf(hunt: Hunt): Promise<Case[]> {
    const { mode, scenario, fault } = hunt;
    const seed = this.#seed;
    const plans = this.#plans.filter(
      (plan) => (mode === undefined || plan.mode === mode) && scenario.test(plan.scenario.name),
    );
    if (fault === undefined)
      return plans.map((plan) => ({ id: `${plan.mode}/${plan.scenario.name}`, seed, plan, strikes: [] }));
    const cases = plans.map(async (plan) => {
      const { seen } = await this.#learn(plan);
      return chosen(casesOf(plan, seen, { seed }), fault, hunt);
    });
    return (await Promise.all(cases)).flat();
  }

  #learn(plan: Plan): ReturnType<typeof runClean> {
    const known = this.#learnt.get(plan) ?? runClean(plan, { seed: this.#seed });
    this.#learnt.set(plan, known);
    return known;
  }
}

/** Returns the cases of one scenario that a hunt selects, each with the lasting fault added. */
function chosen(cases: readonly Case[], fault: RegExp, { request = /./, beside }: Hunt): Case[] {
  const [lasting] = cases.flatMap(({ strikes }) => strikes).filter((strike) => strike.fault.name === beside);
  return cases
    .filter(({ strikes: [strike] }) => {
      if (strike === undefined) return false;
      const { seen, fault: struck } = strike;
      return fault.test(`${struck.name}:${struck.span}`) && request.test(`${seen.method} ${seen.route}`);
    })
    .map((each) =>
      lasting === undefined
        ? each
        : {
            ...each,
            id: `${each.id} ${lasting.seen.index}:${lasting.fault.name}:${lasting.fault.span}`,
            strikes: [...each.strikes, lasting],
          },
    );
}
