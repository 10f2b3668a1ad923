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
  /** The number of the attempt to recover, from 1. */
  readonly attempt?: number;
  readonly command: "up" | "preview" | "refresh" | "destroy" | "cancel";
  /** The index in `programs`. Absent: no program ran. */
  readonly program?: number;
  /** `failed`: the command ended with an error. `killed`: the provider or the engine was killed. */
  readonly outcome: "ok" | "failed" | "killed";
  readonly startedAt: number;
  readonly endedAt: number;
  /** What the user typed before this phase, because an earlier phase offered it. */
  readonly typed: readonly Fix[];
  /** Everything that the user sees, in order. */
  readonly printed: readonly Printed[];
  /** What its errors and warnings offer and mention. */
  readonly offered: Offered;
  /** The engine's steps in order. */
  readonly steps: readonly Step[];
  /** Its range of indexes in `exchanges`; `to` is exclusive. */
  readonly exchanges: readonly [from: number, to: number];
  /** Its range of indexes in `journal`; `to` is exclusive. */
  readonly journal: readonly [from: number, to: number];
  /** All resources at the service after it, of every owner. */
  readonly live: readonly Live[];
  /** The state after it, as exported. */
  readonly state: State;
  /** The stack's configuration while it ran, without the key. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface Printed {
  /** `diagnostic`: the error of a failed step, or a check failure. */
  readonly kind: "diagnostic" | "warning" | "status" | "stderr" | "stdout";
  readonly urn?: string;
  readonly text: string;
}

/** What messages mention and offer, parsed from their text. */
export interface Offered {
  /** Ids in an error or a warning. */
  readonly ids: readonly string[];
  /** Quoted names and slugs in an error or a warning. */
  readonly names: readonly string[];
  /** Literal lines that a user can type. */
  readonly fixes: readonly Fix[];
}

/** Something that a user does because a message offers it. */
export type Fix =
  | { readonly do: "adopt"; readonly urn: string; readonly id: string }
  /** With `ifGone`, only if that resource is deleted. */
  | { readonly do: "unadopt"; readonly urn: string; readonly ifGone?: string }
  | { readonly do: "input"; readonly urn: string; readonly input: string; readonly value: unknown }
  | { readonly do: "config"; readonly key: string; readonly value: string }
  /** An empty id: the message contains none, and the user found none. */
  | { readonly do: "delete-at-service"; readonly id: string; readonly urn?: string }
  | { readonly do: "state-delete"; readonly urn: string; readonly withDependents?: boolean }
  | { readonly do: "switch-at-service"; readonly id: string; readonly to: string }
  | { readonly do: "replace"; readonly urn: string }
  | { readonly do: "option"; readonly urn: string; readonly option: string }
  | { readonly do: "up-again" }
  | { readonly do: "refresh-run-program" };
