/*
 * What a run of the campaign leaves behind for the judge: plain data, JSON all through, and no code. The judge reads
 * nothing else, so whatever it has to know stands here as it was seen from outside of the provider.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };
export type Fields = Readonly<Record<string, unknown>>;

export const kinds = [
  "Link",
  "Database",
  "BackupSchedule",
  "VpsInstance",
  "Inbox",
  "Webhook",
  "VpsAction",
] as const;
/** The kinds of resources, as the provider and the service's control view name them; an action has no resource. */
export type KindName = (typeof kinds)[number];

export type ApiMode = "conventional" | "documented";

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

/** One request to the proxy. */
export interface Exchange {
  readonly index: number;
  /** Virtual milliseconds. */
  readonly at: number;
  /** When the proxy had answered, or had cut it; absent where nothing was ever sent. */
  readonly endedAt?: number;
  /** Which provider process sent it: it changes after every kill and with every command. */
  readonly process: number;
  readonly method: string;
  /** Below the base URL, with the query. */
  readonly target: string;
  /** The path with the ids replaced: `/databases/:id`. */
  readonly route: string;
  /** Of the tenant whose key it carried, or `unknown`. */
  readonly tenant: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: unknown;
  /** What the service did with it. Absent: it never reached the service. */
  readonly service?: {
    readonly status: number;
    readonly body?: unknown;
    readonly requestId?: string;
    /** It was a request that changes something, and was carried out: a 2xx to anything but a GET. */
    readonly committed: boolean;
  };
  /** What the provider got. Absent: nothing, the connection was cut or stalled. */
  readonly sent?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** As text where it is no JSON. */
    readonly body?: unknown;
    /** The connection was cut within the body. */
    readonly cut?: true;
  };
  /** Milliseconds that `Retry-After` asks for, where the answer has it and it can be read. */
  readonly retryAfter?: number;
  /** The fault that struck it. */
  readonly fault?: string;
  /** The provider's process, or the provider itself, gave it up before the end. */
  readonly abandoned?: true;
}

/** A record of the sandbox's journal. */
export interface JournalRecord {
  readonly requestId: string;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly tenant?: string;
  readonly operation?: string;
  readonly status?: number;
  readonly requestBody?: unknown;
  readonly responseBody?: unknown;
}

/** A resource that is alive at the service. */
export interface Live {
  readonly kind: KindName;
  readonly id: string;
  readonly tenant: string;
  /** In the wire's spelling, secrets included. */
  readonly fields: Fields;
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

/** Something that is not ours. */
export interface Foreign {
  readonly kind: KindName;
  readonly id: string;
  readonly tenant: string;
  /** Planted before the phase of this index began, or within it just before or after a commit of ours. */
  readonly planted: { readonly phase: number; readonly when: "before" | "during" | "after" };
  /** In what it is like ours: `name`, `slug`, `url`. Empty: in nothing. */
  readonly like: readonly string[];
  /** As it was made. */
  readonly fields: Fields;
  /** Changed or deleted by its owner (the campaign itself) after that; then it proves nothing. */
  readonly released?: true;
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
