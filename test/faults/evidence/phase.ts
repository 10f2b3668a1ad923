import type { Live } from "./service.js";
import type { State, Step } from "./stack.js";

export type PhaseName =
  | "prefix"
  | "broken"
  | "recover-cancel"
  | "recover-refresh"
  | "recover-up"
  | "preview"
  | "destroy"
  | "destroy-refresh";

/** One command on the stack. */
export interface Phase {
  readonly name: PhaseName;
  /** From 1 on, how often recovering has been tried; of a phase of recovering. */
  readonly attempt?: number;
  readonly command: "up" | "preview" | "refresh" | "destroy" | "cancel";
  /** The index in `programs` of what ran; absent where no program ran. */
  readonly program?: number;
  /** `failed`: the command ended with an error. `killed`: the provider or the engine was killed. */
  readonly outcome: "ok" | "failed" | "killed";
  readonly startedAt: number;
  readonly endedAt: number;
  /** What was typed before this phase, because an earlier one had offered it. */
  readonly typed: readonly Fix[];
  /** Everything that a user sees, in order. */
  readonly printed: readonly Printed[];
  /** What its errors and warnings offer and name. */
  readonly offered: Offered;
  /** The engine's steps in order. */
  readonly steps: readonly Step[];
  /** The indexes in `exchanges` that fall into it: from, up to and without to. */
  readonly exchanges: readonly [from: number, to: number];
  /** The indexes in `journal` that fall into it. */
  readonly journal: readonly [from: number, to: number];
  /** What is alive at the service after it, by the service's own control view: everybody's. */
  readonly live: readonly Live[];
  /** The state after it, as exported. */
  readonly state: State;
  /** The stack's configuration while it ran, without the key. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface Printed {
  /** `diagnostic`: the error with which a resource's step failed, and check failures. */
  readonly kind: "diagnostic" | "warning" | "status" | "stderr" | "stdout";
  readonly urn?: string;
  readonly text: string;
}

/** What messages name and offer, taken from their text. */
export interface Offered {
  /** Ids of the service that stand in an error or a warning. */
  readonly ids: readonly string[];
  /** Names and slugs that stand in quotes in an error or a warning. */
  readonly names: readonly string[];
  /** Literal lines that a user can take over. */
  readonly fixes: readonly Fix[];
}

/** Something that a user does because a message offers it. */
export type Fix =
  | { readonly do: "adopt"; readonly urn: string; readonly id: string }
  /** With `ifGone`, only where that resource is deleted. */
  | { readonly do: "unadopt"; readonly urn: string; readonly ifGone?: string }
  | { readonly do: "input"; readonly urn: string; readonly input: string; readonly value: string }
  | { readonly do: "config"; readonly key: string; readonly value: string }
  /** The id is empty where the message names none, and the user found none either. */
  | { readonly do: "delete-at-service"; readonly id: string; readonly urn?: string }
  | { readonly do: "state-delete"; readonly urn: string; readonly withDependents?: boolean }
  | { readonly do: "switch-at-service"; readonly id: string; readonly to: string }
  | { readonly do: "replace"; readonly urn: string }
  | { readonly do: "option"; readonly urn: string; readonly option: string }
  | { readonly do: "up-again" }
  | { readonly do: "refresh-run-program" };
