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
  /** Identifies the case; the same id always gives the same run. */
  readonly id: string;
  readonly seed: number;
  /** A command that replays this run. */
  readonly replay: string;
  readonly mode: ApiMode;
  /** The operation that the faults strike. */
  readonly scenario: Scenario;
  /** The broken provider that replaces the real one. */
  readonly mutant?: string;
  readonly faults: readonly InjectedFault[];
  /** The programs that the phases run, by index. */
  readonly programs: readonly DeclaredProgram[];
  readonly phases: readonly Phase[];
  /** Every exchange as the proxy saw it, in the order of arrival. */
  readonly exchanges: readonly Exchange[];
  /** The sandbox's journal of every request that reached it, with secrets masked. */
  readonly journal: readonly JournalRecord[];
  /** Resources of other owners, planted before, during or after the run's own creations. */
  readonly foreign: readonly Foreign[];
  /** Secrets by name. None may be printed, or be in the state or a file unencrypted. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Files that the run wrote. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** How the run ended in the campaign's own view. */
  readonly ending: Ending;
}

export interface Scenario {
  readonly name: string;
  /** The kind under test. The program also declares what it depends on. */
  readonly kind: KindName;
  readonly operation: "create" | "same" | "update" | "replace" | "refresh" | "adopt" | "rename" | "destroy";
}

/** A fault of the case, and where it struck. */
export interface InjectedFault {
  /** Such as `500-after`, `field-null:ipv4` or `kill-provider-before`. */
  readonly name: string;
  /** Such as `server-error`, `reset`, `kill`, `field`, `stale` or `list`; results are grouped by it. */
  readonly class: string;
  /**
   * `every`: every further request to the same route in the broken phase. `rest`: every further request of that phase.
   * `always`: every request of the run.
   */
  readonly span: "once" | "every" | "rest" | "always";
  /** The index in `phases` of the broken phase. */
  readonly phase: number;
  /** The target request of that phase, counted from 0. Absent if the fault has no target request. */
  readonly request?: { readonly index: number; readonly method: string; readonly route: string };
  /** When it strikes, relative to the service's commit. */
  readonly when: "before" | "after" | "instead" | "between";
  /** The indexes in `exchanges` that it struck. Empty: none. */
  readonly struck: readonly number[];
}

export interface Ending {
  /**
   * `recovered`: no error, an empty preview, destroyed. `stopped`: every attempt failed, with an error that offered
   * nothing to type. `stuck`: every attempt failed, although the user typed every offer. `unstruck`: the fault never
   * struck. `crashed`: the campaign itself failed.
   */
  readonly result: "recovered" | "stopped" | "stuck" | "unstruck" | "crashed";
  /** The number of attempts to recover; 0 if the broken phase succeeded. */
  readonly runs: number;
  /** The messages that ended a command, without ids, names and times, so that they can be counted. */
  readonly stops: readonly string[];
  /** What the campaign itself noticed: a preview with changes, a resource that was left, an exception. */
  readonly complaints: readonly string[];
}
