import type { Case } from "./case/case.js";
import type { Evidence } from "./evidence/evidence.js";
import type { Printed } from "./evidence/phase.js";
import type { DeclaredProgram, State, Step } from "./evidence/stack.js";
import type { Service, Victim } from "./service/service.js";
import type { Clock } from "./time.js";

/*
 * What a case runs on: the model of the engine with virtual time, or the real engine with real processes.
 */

/** The provider or the engine was killed during a command. */
export class Killed extends Error {}
/** A command ended with an error, which is printed already. */
export class Failed extends Error {}

type Settings = Readonly<Record<string, string>>;

/** The commands on one stack. */
export interface StackEngine {
  /** The targets of `--replace` in the next `pulumi up`. */
  readonly replaced: Set<string>;
  /** A program has run, so there is a state to refresh. */
  readonly hasRun: boolean;
  /** `pulumi up --yes --skip-preview`; with `dry`, `pulumi preview`. Returns how many resources have each operation. */
  up(program: DeclaredProgram, config: Settings, dry?: boolean): Promise<Readonly<Record<string, number>>>;
  /** Without a configuration, it uses the state's. */
  refresh(config: Settings | undefined): Promise<void>;
  destroy(config: Settings | undefined): Promise<void>;
  cancel(): Promise<void> | void;
  /** `pulumi state delete`, optionally with `--target-dependents`. */
  deleteFromState(urn: string, withDependents: boolean): Promise<void> | void;
  /** Returns the state after the last command. */
  export(): State;
}

export interface World {
  readonly time: Clock;
  readonly service: Service;
  readonly engine: StackEngine;
  /** Settings of the stack, in addition to those of every case. */
  readonly settings: Settings;
  kill(whom: Victim): void;
  /** Returns the files that the run wrote. */
  files(): Evidence["files"];
  close(): Promise<void>;
}

/** Receives what a command prints and does. */
export interface CommandOutput {
  print(printed: Printed): void;
  step(step: Step): void;
}

export type OpenWorld = (given: Case, output: CommandOutput) => Promise<World>;
