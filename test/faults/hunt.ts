import { randomFrom } from "../../sandbox/test/random.js";
import { casesOf, inParallel, learn, plansFor, shuffled } from "./campaign.js";
import type { Case } from "./case/case.js";
import { runCase } from "./case/run-case.js";
import { type Hunt, type Mutant, mutants, patchOf } from "./mutants/index.js";
import { type Problem, verdictOn } from "./report.js";
import type { Plan } from "./scenarios.js";

/*
 * Tests the judge: runs broken providers through cases in which they should be noticed. A case proves something only
 * where the provider itself keeps the rule that the mutant breaks.
 */

/** Tried before a mutant counts as not caught. */
const MOST_CASES = 12;

export interface Caught {
  readonly mutant: string;
  readonly breaks: string;
  /** The rule that found it and a command that shows it; absent where it was not caught. */
  readonly by?: { readonly rule: string; readonly text: string; readonly replay: string };
  readonly tried: number;
  /** The provider itself breaks the rule there: an error of its own, or of the judge. */
  readonly falseAlarms: readonly { readonly rule: string; readonly text: string; readonly replay: string }[];
}

export const mutantNamed = (name: string): Mutant | undefined => mutants.find((each) => each.name === name);

/** Hunts for the mutants that are this process's share. */
export async function huntAll(
  seed: number,
  isMeant: (name: string, index: number) => boolean,
  tell: (caught: Caught) => void,
): Promise<void> {
  const hunter = new Hunter(seed);
  const meant = mutants.filter(({ name }, index) => isMeant(name, index));
  await inParallel(meant, async (mutant) => tell(await hunter.hunt(mutant)));
}

/** Runs each scenario and each case of the provider itself once, for all mutants. */
class Hunter {
  readonly #seed: number;
  readonly #plans: readonly Plan[];
  readonly #learnt = new Map<Plan, ReturnType<typeof learn>>();
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

  /** What the real provider asks for decides which requests there are to strike. */
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

  #learn(plan: Plan): ReturnType<typeof learn> {
    const known = this.#learnt.get(plan) ?? learn(plan, { seed: this.#seed });
    this.#learnt.set(plan, known);
    return known;
  }
}

/** The cases of one scenario that a hunt means, each with the fault that lasts beside it. */
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
