import type { Fields, KindName } from "./kinds.js";

/** A program, as the engine sees it. */
export interface DeclaredProgram {
  readonly resources: readonly Declared[];
}

export interface Declared {
  readonly urn: string;
  readonly kind: KindName;
  readonly name: string;
  /** As the program gives them, before `check`; a value of another resource is `{ "$ref": "<name>", "output": "id" }`. */
  readonly inputs: Fields;
  readonly options: {
    /** Names that it had before. */
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
  /** `partial`: the engine was given an id and reasons. `dropped`: done, but the checkpoint was never written. */
  readonly outcome: "ok" | "failed" | "partial" | "killed" | "dropped" | "planned";
  /** The properties that make it a replacement, or that the engine found changed. */
  readonly keys?: readonly string[];
}

/** The engine's state of the stack. */
export interface State {
  readonly resources: readonly StateResource[];
  readonly pending: readonly { readonly op: string; readonly urn: string }[];
  /** As it would stand in a file: secrets are ciphertext there. */
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
  /** It is to be deleted: its successor is there. */
  readonly pendingDelete?: true;
  /** It is only read. */
  readonly external?: true;
}
