import type { Case } from "./case/case.js";
import type { Evidence } from "./evidence/evidence.js";
import type { Printed } from "./evidence/phase.js";
import type { DeclaredProgram, State, Step } from "./evidence/stack.js";
import type { Service, Victim } from "./service/service.js";
import type { Clock } from "./time.js";

/*
 * What a case runs on: the small engine with virtual time, or the whole one with real processes.
 */

/** The provider or the engine was killed in the middle of a command. */
export class Killed extends Error {}
/** A command ended with an error; what it was has been printed. */
export class Failed extends Error {}

type Settings = Readonly<Record<string, string>>;

/** The commands on one stack. */
export interface StackEngine {
  /** The targets of `--replace` in the next `pulumi up`. */
  readonly replaced: Set<string>;
  /** A program has been run, so that there is something to refresh. */
  readonly hasRun: boolean;
  /** `pulumi up --yes --skip-preview`; with `dry`, `pulumi preview`. Returns how many resources have each operation. */
  up(program: DeclaredProgram, config: Settings, dry?: boolean): Promise<Readonly<Record<string, number>>>;
  /** By the state's configuration where none is given. */
  refresh(config: Settings | undefined): Promise<void>;
  destroy(config: Settings | undefined): Promise<void>;
  cancel(): Promise<void> | void;
  /** `pulumi state delete`, with `--target-dependents` where they are meant too. */
  forget(urn: string, withDependents: boolean): Promise<void> | void;
  /** As it was after the last command. */
  export(): State;
}

export interface World {
  readonly time: Clock;
  readonly service: Service;
  readonly engine: StackEngine;
  /** Of the stack, beside those that every case has. */
  readonly settings: Settings;
  kill(whom: Victim): void;
  /** What the run has written, as far as it is there. */
  files(): Evidence["files"];
  close(): Promise<void>;
}

/** Hears what a user sees. */
export interface Hearing {
  print(printed: Printed): void;
  step(step: Step): void;
}

export type OpenWorld = (given: Case, hearing: Hearing) => Promise<World>;
