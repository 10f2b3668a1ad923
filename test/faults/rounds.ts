import { randomFrom } from "../../sandbox/test/random.js";
import { RandomProgram } from "../support/random-program.js";
import { MISLEADING } from "./case/case.js";
import { openRun } from "./case/run-case.js";
import { faultsFor } from "./catalogue/catalogue.js";
import type { Evidence } from "./evidence/evidence.js";
import type { Exchange } from "./evidence/service.js";
import type { DeclaredProgram } from "./evidence/stack.js";
import { saysItExpires } from "./judge/facts.js";
import { rules } from "./judge/index.js";
import { declare, program } from "./program.js";
import { plansOf } from "./scenarios.js";
import type { ChosenFault } from "./service/service.js";

/*
 * Random rounds of change on one stack, with a fault at one request in twenty. After each round and its recovery, the
 * service, the state and the program agree, the preview is empty, and resources of other owners are unchanged.
 */

const SHARE = 0.05;
const CHANGES = 4;

/** Faults that never end, or that only a whole run can judge. */
const NOT_HERE = /^(provisioning-(stuck|fails)|deleted-behind)/;
/** Rules that hold at any point of a run; the others judge a whole scenario. */
const RULES: ReadonlySet<string> = new Set(["agreement", "converged", "foreign", "secrets"]);

export interface Round {
  readonly round: number;
  readonly faults: readonly string[];
  readonly result: "ok" | "recovered" | "stuck";
  readonly runs: number;
  readonly problems: readonly string[];
}

/** Runs this many rounds, and reports each. The same seed gives the same programs. */
export async function runRounds(count: number, seed: number, report: (round: Round) => void): Promise<void> {
  const random = randomFrom(seed);
  const changing = new RandomProgram(random);
  const chaos = new Chaos(randomFrom(seed + 1));
  const [plan] = plansOf("conventional");
  if (!plan) throw new Error("there is no scenario");
  const run = await openRun({ id: `rounds ${count}`, seed, plan, strikes: [], chaos });
  try {
    await run.begin();
    for (let round = 1; round <= count; round++) {
      for (let number = 0; number < CHANGES; number++) changing.change();
      chaos.take();
      const declared = declaredBy(changing);
      const { result, runs } = await run.round(declared);
      const problems = problemsIn(run.evidence(), declared);
      report({ round, faults: chaos.take(), result, runs, problems });
      if (result === "stuck") return;
    }
  } finally {
    await run.close();
  }
}

const declaredBy = ({ resources }: RandomProgram): DeclaredProgram =>
  program(
    ...resources.map(({ kind, name, formerNames, inputs }) =>
      declare(kind, name, inputs, formerNames.length > 0 ? { aliases: formerNames } : {}),
    ),
  );

function problemsIn(evidence: Evidence, { resources }: DeclaredProgram): string[] {
  const last = evidence.phases.at(-1);
  const theirs = new Set(evidence.foreign.map(({ id }) => id));
  const ours = last?.live.filter(({ id }) => !theirs.has(id)).map(({ id }) => id) ?? [];
  const known = last?.state.resources ?? [];
  const messages = evidence.phases.flatMap(({ printed }) => printed).map(({ text }) => text);
  // A second inbox expires, if a message says so.
  const mayStay = saysItExpires(messages);
  const lost = ours
    .filter((id) => !known.some((each) => each.id === id))
    .filter((id) => !(mayStay && id.startsWith("inbox_")));
  // Hours pass between two rounds, and no command has read the inbox since.
  const expired = known
    .filter(({ outputs }) => Date.parse(String(outputs["expiresAt"])) <= (last?.endedAt ?? 0))
    .filter(({ kind }) => kind === "Inbox")
    .map(({ id }) => id);
  const names = new Set(known.map(({ urn }) => urn));
  return [
    ...rules
      .filter(({ name }) => RULES.has(name))
      .flatMap(({ name, judge }) => judge(evidence).map(({ text }) => `${name}: ${text}`))
      .filter((text) => !expired.some((id) => text.includes(id))),
    ...lost.map((id) => `${id} is alive, and the state does not know it`),
    ...resources.filter(({ urn }) => !names.has(urn)).map(({ urn }) => `${urn} is not in the state`),
    ...(known.length > resources.length ? [`the state has ${known.length} of ${resources.length}`] : []),
  ];
}

/** Strikes random requests during a round's change. */
class Chaos {
  #struck: { name: string; lies: boolean }[] = [];
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A response of this round was false, so a success proves little. */
  get lied(): boolean {
    return this.#struck.some(({ lies }) => lies);
  }

  /** Returns the faults since the last call. */
  take(): string[] {
    return this.#struck.splice(0).map(({ name }) => name);
  }

  choose({ method, route, target, requestBody }: Exchange): ChosenFault | undefined {
    if (this.#random() >= SHARE) return undefined;
    const seen = { index: 1, occurrence: 0, method, route, target, requestBody, response: undefined };
    const faults = faultsFor(seen, "conventional").filter(
      ({ name, span }) => span === "once" && !NOT_HERE.test(name),
    );
    const fault = faults[Math.floor(this.#random() * faults.length)];
    if (!fault) return undefined;
    this.#struck.push({ name: fault.name, lies: MISLEADING.has(fault.class) });
    return { name: fault.name, strike: fault.strike };
  }
}
