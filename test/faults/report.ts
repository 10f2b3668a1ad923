import type { Evidence } from "./evidence/evidence.js";
import { judge } from "./judge/index.js";
import { shapeOf } from "./offers.js";

/** The result of a judged run. */
export interface Verdict {
  readonly id: string;
  readonly replay: string;
  readonly mode: string;
  readonly kind: string;
  readonly operation: string;
  readonly faults: readonly { readonly name: string; readonly class: string }[];
  readonly result: Evidence["ending"]["result"];
  readonly runs: number;
  /** The messages that ended a command, without the parts that differ from run to run. */
  readonly stops: readonly string[];
  readonly problems: readonly Problem[];
}

/** A broken promise, or a complaint of the campaign itself. */
export interface Problem {
  readonly rule: string;
  readonly text: string;
  readonly entries: readonly string[];
}

export function verdictOn(evidence: Evidence): Verdict {
  const { id, replay, mode, scenario, faults, ending } = evidence;
  return {
    id,
    replay,
    mode,
    kind: scenario.kind,
    operation: scenario.operation,
    faults: faults.map(({ name, class: of }) => ({ name, class: of })),
    result: ending.result,
    runs: ending.runs,
    stops: [...new Set(ending.stops)],
    problems: [
      ...judge(evidence),
      ...ending.complaints.map((text) => ({ rule: "campaign", text, entries: [] })),
    ],
  };
}

/** A finding: the runs that broke the same promise in the same way. */
interface Cause {
  readonly key: string;
  readonly problem: Problem;
  readonly cases: Verdict[];
}

/** Counts verdicts, and groups the failures by cause. */
export class Report {
  readonly verdicts: Verdict[] = [];
  readonly #results = new Map<string, number>();
  readonly #causes = new Map<string, Cause>();

  /** Adds a verdict, and returns its problems of a new cause. */
  add(verdict: Verdict): readonly Problem[] {
    const fresh: Problem[] = [];
    this.verdicts.push(verdict);
    const { result, runs, problems, mode, kind } = verdict;
    const key = result === "recovered" ? `recovered in ${runs} runs` : result;
    this.#results.set(key, (this.#results.get(key) ?? 0) + 1);
    for (const problem of problems) {
      const last = problem.entries.at(-1) ?? "";
      const cause = `${mode} ${kind} ${problem.rule}: ${shapeOf(problem.text)} ${shapeOf(last).slice(0, 160)}`;
      if (!this.#causes.has(cause)) fresh.push(problem);
      const known = this.#causes.get(cause) ?? { key: cause, problem, cases: [] };
      known.cases.push(verdict);
      this.#causes.set(cause, known);
    }
    return fresh;
  }

  get failed(): number {
    return this.verdicts.filter(({ problems }) => problems.length > 0).length;
  }

  /** Lists the causes, most frequent first, each with a command that shows it. */
  *causes(): Iterable<string> {
    const sorted = [...this.#causes.values()].sort((a, b) => b.cases.length - a.cases.length);
    for (const { problem, cases } of sorted) {
      const [first] = cases;
      const faults = [...new Set(cases.flatMap((each) => each.faults.map(({ name }) => name.split(":")[0])))];
      yield `✗ ${cases.length} × ${first?.mode} ${first?.kind} ${problem.rule}: ${problem.text.slice(0, 300)}`;
      for (const entry of problem.entries.slice(0, 4)) yield `    ${entry.slice(0, 300)}`;
      yield `    faults: ${faults.slice(0, 12).join(", ")}${faults.length > 12 ? ` and ${faults.length - 12} more` : ""}`;
      yield `    ${first?.replay}`;
    }
  }

  *counts(): Iterable<string> {
    for (const [key, number] of [...this.#results].sort()) yield `  ${key}: ${number}`;
    yield* this.#stops();
  }

  /** Counts the commands that rightly ended with an error, by the class of the fault and by kind. Pairs do not count. */
  *#stops(): Iterable<string> {
    const classes = new Map<string, Map<string, number>>();
    for (const { kind, faults, stops } of this.verdicts) {
      const [fault, ...others] = faults;
      if (fault === undefined || others.length > 0 || stops.length === 0) continue;
      const kinds = classes.get(fault.class) ?? new Map<string, number>();
      classes.set(fault.class, kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
    }
    for (const [of, kinds] of [...classes].sort()) {
      const each = [...kinds].sort().map(([kind, number]) => `${kind} ${number}`);
      yield `  stopped with an error by ${of}: ${each.join(", ")}`;
    }
  }
}
