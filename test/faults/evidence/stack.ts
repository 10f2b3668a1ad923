import type { Fields, KindName } from "./kinds.js";

/** A program, as the engine sees it. */
export interface DeclaredProgram {
  readonly resources: readonly Declared[];
}

export interface Declared {
  readonly urn: string;
  readonly kind: KindName;
  readonly name: string;
  /** As the program gives them, before `check`. An output of another resource: `{ "$ref": "<name>", "output": "id" }`. */
  readonly inputs: Fields;
  readonly options: {
    /** Former names. */
    readonly aliases?: readonly string[];
    readonly deleteBeforeReplace?: boolean;
    readonly retainOnDelete?: boolean;
    readonly protect?: boolean;
  };
}

export interface Step {
  readonly op:
    | "same"
    | "create"
    | "update"
    | "replace"
    | "create-replacement"
    | "delete"
    | "delete-replaced"
    | "read"
    | "refresh"
    | "check"
    | "diff";
  readonly urn: string;
  readonly id?: string;
  /** `partial`: the provider returned an id and reasons. `dropped`: done, but the checkpoint was never written. */
  readonly outcome: "ok" | "failed" | "partial" | "killed" | "dropped" | "planned";
  /** The properties that require the replacement, or that changed. */
  readonly keys?: readonly string[];
}

/** The engine's state of the stack. */
export interface State {
  readonly resources: readonly StateResource[];
  readonly pending: readonly { readonly op: string; readonly urn: string }[];
  /** The text of the state file, where secrets are encrypted. */
  readonly text: string;
}

export interface StateResource {
  readonly urn: string;
  readonly kind: KindName;
  readonly id: string;
  /** Secrets are `{ "$secret": … }`. */
  readonly inputs: Fields;
  readonly outputs: Fields;
  readonly initErrors: readonly string[];
  readonly dependencies: readonly string[];
  /** To be deleted, because its replacement exists. */
  readonly pendingDelete?: true;
  /** Only read, not managed. */
  readonly external?: true;
}
