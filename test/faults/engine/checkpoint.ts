import type { KindName } from "../evidence/kinds.js";
import type { Printed } from "../evidence/phase.js";
import type { Declared, State, Step } from "../evidence/stack.js";
import { exported } from "../properties.js";
import { HookFailure, type Properties } from "../provider-client.js";
import { Failed, Killed } from "../world.js";

/** One entry of the state. */
export interface StoredResource {
  readonly urn: string;
  readonly kind: KindName;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  readonly initErrors: readonly string[];
  readonly dependencies: readonly string[];
  /** Identifies the entry: two entries may have the same URN and the same id. */
  readonly serial: number;
  readonly pendingDelete: boolean;
  /** Deleted before its replacement exists. */
  readonly pendingReplacement: boolean;
  readonly retainOnDelete: boolean;
  readonly protect: boolean;
}

/** What the engine writes to disk after every step. */
interface Checkpoint {
  readonly resources: readonly StoredResource[];
  readonly pending: readonly { readonly op: string; readonly urn: string }[];
  /** The provider's configuration in the last program; refresh and destroy use it. */
  readonly config: Readonly<Record<string, string>> | undefined;
}

/** Receives what the engine prints and which steps it takes. */
export interface EngineOutput {
  readonly print: (printed: Printed) => void;
  readonly step: (step: Step) => void;
}

/** The stack's state on disk. After a kill nothing more is written. */
export class CheckpointFile {
  state: Checkpoint = { resources: [], pending: [], config: undefined };
  /** The engine has been killed. */
  isDead = false;
  readonly #output: EngineOutput;
  #serial = 0;

  constructor(output: EngineOutput) {
    this.#output = output;
  }

  nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  write(change: Partial<Checkpoint>): void {
    if (!this.isDead) this.state = { ...this.state, ...change };
  }

  /** Records an operation as pending, before its request is sent. */
  begin(op: string, urn: string): void {
    this.write({ pending: [...this.state.pending, { op, urn }] });
  }

  /** Records the result of a step, unless the engine is killed before. */
  replace(
    before: StoredResource | undefined,
    after: StoredResource | undefined,
    step: Step,
    others: readonly StoredResource[] = [],
  ): void {
    if (this.isDead) throw new Killed();
    this.#output.step(step);
    const at = before ? this.state.resources.findIndex((stored) => isSame(stored, before)) : -1;
    const resources = [...this.state.resources];
    if (at >= 0) resources.splice(at, 1, ...(after ? [after] : []));
    else if (after) resources.push(after);
    for (const other of others) {
      const place = resources.findIndex((stored) => isSame(stored, other));
      if (place >= 0) resources.splice(place, 1, other);
    }
    this.write({ resources, pending: this.#pendingWithout(step.urn) });
  }

  /** Records how a step failed, prints the error as the engine does, and returns what ends the command. */
  failed(error: unknown, step: Step): Error {
    if (this.isDead) return new Killed();
    if (error instanceof Killed || error instanceof Failed) return error;
    if (!(error instanceof HookFailure)) {
      this.printError(step.urn, String(error));
      this.#output.step(step);
      return new Failed(String(error));
    }
    // The provider has reported the failure or has exited; in both cases the operation is no longer pending.
    if (error.hasExited) {
      this.#output.step({ ...step, outcome: "killed" });
      this.write({ pending: this.#pendingWithout(step.urn) });
      this.printError(step.urn, `the provider has exited: ${error.message}`);
      return new Failed("the provider has exited");
    }
    this.printError(step.urn, error.message);
    this.write({ pending: this.#pendingWithout(step.urn) });
    this.#output.step(step);
    return new Failed(String(error));
  }

  printError(urn: string, text: string): void {
    this.#output.print({ kind: "diagnostic", urn, text });
  }

  /** Reports a step that a preview plans. */
  plan(step: Step): void {
    this.#output.step(step);
  }

  /** Returns the state as `pulumi stack export` prints it. */
  export(): State {
    const { resources: stored, pending } = this.state;
    const resources = stored.map((each) => ({
      urn: each.urn,
      kind: each.kind,
      id: each.id,
      inputs: exported(each.inputs, true),
      outputs: exported(each.outputs, true),
      initErrors: each.initErrors,
      dependencies: each.dependencies,
      ...(each.pendingDelete && { pendingDelete: true as const }),
    }));
    const text = JSON.stringify(
      stored.map((each) => ({
        ...each,
        inputs: exported(each.inputs, false),
        outputs: exported(each.outputs, false),
      })),
    );
    return { resources, pending, text };
  }

  #pendingWithout(urn: string): Checkpoint["pending"] {
    return this.state.pending.filter((pending) => pending.urn !== urn);
  }
}

export const isSame = (a: StoredResource, b: StoredResource): boolean => a.serial === b.serial;

/** Returns the options that the state keeps. */
export const optionsOf = ({ options }: Declared): Pick<StoredResource, "retainOnDelete" | "protect"> => ({
  retainOnDelete: options.retainOnDelete ?? false,
  protect: options.protect ?? false,
});
