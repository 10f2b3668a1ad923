import type { ApiMode, KindName } from "./kinds.js";
import type { Phase } from "./phase.js";
import type { Exchange, Foreign, JournalRecord } from "./service.js";
import type { DeclaredProgram } from "./stack.js";

/*
 * What a run leaves behind for the judge: plain data that can be written as JSON, and no code. The judge reads nothing
 * else, so the evidence holds everything that it needs, as it was seen from outside of the provider.
 */

/** One run of the campaign, from an empty account to the end of its destroy. All times are virtual milliseconds. */
export interface Evidence {
  /** Names the case; the same id always gives the same run. */
  readonly id: string;
  readonly seed: number;
  /** A command that replays exactly this run. */
  readonly replay: string;
  readonly mode: ApiMode;
  /** What is being done while the faults strike. */
  readonly scenario: Scenario;
  /** The broken provider that was run instead of the real one. */
  readonly mutant?: string;
  readonly faults: readonly InjectedFault[];
  /** The programs that the phases run, by index. */
  readonly programs: readonly DeclaredProgram[];
  readonly phases: readonly Phase[];
  /** Every exchange as the proxy in front of the service saw it, in the order of arrival. */
  readonly exchanges: readonly Exchange[];
  /** The sandbox's own journal of everything that reached it, in order; secrets masked by the sandbox. */
  readonly journal: readonly JournalRecord[];
  /** What others had on the account, planted before, during or after the run's own creations. */
  readonly foreign: readonly Foreign[];
  /** Secrets by name: none may stand in anything printed, or in the clear in a state or file. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Files that the provider's process wrote. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** The campaign's own view of how it ended; the judge does not have to believe it. */
  readonly ending: Ending;
}

export interface Scenario {
  readonly name: string;
  /** The kind that the scenario is about; what it depends on is declared beside it. */
  readonly kind: KindName;
  readonly operation: "create" | "same" | "update" | "replace" | "refresh" | "adopt" | "rename" | "destroy";
}

/** A fault that the case asks for, and where it struck. */
export interface InjectedFault {
  /** Names the fault: `status-500-after`, `field-null:ipv4`, `kill:after-commit`. */
  readonly name: string;
  /** Its class, by which results are counted: `status`, `reset`, `kill`, `field`, `stale`, `list` … */
  readonly class: string;
  /**
   * `every`: it goes on striking requests to the same route until the broken phase ends; `rest`: any request from there
   * to the end of that phase; `always`: any request of the whole run.
   */
  readonly span: "once" | "every" | "rest" | "always";
  /** The index in `phases` of the phase that it is meant for. */
  readonly phase: number;
  /** The request of that phase that it is meant for, from 0. Absent for faults that are not about a request. */
  readonly request?: { readonly index: number; readonly method: string; readonly route: string };
  /** Relative to the service's commit. */
  readonly when: "before" | "after" | "instead" | "between";
  /** The indexes in `exchanges` of what it struck. Empty: it never came to that. */
  readonly struck: readonly number[];
}

export interface Ending {
  /**
   * `recovered`: no error, an empty preview, destroyed. `stopped`: every run of recovering ended with an error that
   * offered nothing to type. `stuck`: it would not come to an end although everything offered was typed.
   * `unstruck`: the fault never struck.
   */
  readonly result: "recovered" | "stopped" | "stuck" | "unstruck" | "crashed";
  /** How many runs of recovering it took; 0 where the broken phase itself ended well. */
  readonly runs: number;
  /** The messages that stopped a run, without ids, names and times, so that they can be counted. */
  readonly stops: readonly string[];
  /** What the campaign itself noticed: an operation that was not empty, a resource left, an exception. */
  readonly complaints: readonly string[];
}
