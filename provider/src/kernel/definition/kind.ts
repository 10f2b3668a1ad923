import type { CloudServices, ListPromise, WaitOptions } from "cloudservices-sdk";
import type { z } from "zod";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Settings } from "../settings/settings.js";
import type { NameForm } from "./auto-name.js";
import type { Timeouts } from "./timeouts.js";

/** The effect of a changed input: an update request, a replacement, or only a change of the state. */
export type OnChange = "update" | "replace" | "record";

/** One input of a kind: its allowed values and the effect of a change. */
export interface Input<T, R> {
  readonly schema: z.ZodType<T>;
  readonly onChange: OnChange;
  /** May be omitted. The preview shows the default, if there is one. */
  readonly optional?: true;
  readonly default?: T;
  /** Never shown, stored encrypted. */
  readonly secret?: true;
  /**
   * Returns whether two spellings mean the same; the state then keeps its own. If one can be more precise than the
   * other, returns whether the held value satisfies the requested one.
   */
  isEquivalent?(held: T, requested: T): boolean;
  /** Reads the value from a response. Without this, drift of the field cannot be detected. */
  from?(remote: R): T | undefined;
  /** The values that the specification lists. Others are accepted with a warning, unless they look misspelt. */
  readonly allowedValues?: readonly string[];
  /** Returns whether, given these inputs, a change of this one replaces the resource. */
  replaceIf?(inputs: Readonly<Record<string, unknown>>): boolean;
  /** The specification documents a request that changes this field. */
  readonly documentedChange?: true;
  /** Not sent at creation: `converge` applies it. */
  readonly afterCreation?: true;
  /** A change of it may need `converge`. */
  readonly converges?: true;
  /** The creation request has no member for it. */
  readonly notAtCreation?: true;
}

/** One value that only the service knows. */
export interface Output<R> {
  /** Reads the value from a response. Undefined: not in the response, the value stays as it was. Null: no value. */
  from(remote: R, inputs?: Readonly<Record<string, unknown>>): unknown;
  readonly secret?: true;
  /** The number is always whole. Not needed where the sdk's schema of the response says so. */
  readonly integer?: true;
  /** A resource may not have it. */
  readonly optional?: true;
  /**
   * The inputs whose update may change it; none, if no update does. Without this, every update may. A preview shows the
   * present value where the update does not change it.
   */
  readonly changesWith?: readonly string[];
}

/** The inputs as cross-field rules see them: a value is undefined when it is absent or not yet known. */
export interface Planned<I> {
  after<F extends keyof I>(field: F): I[F] | undefined;
  before<F extends keyof I>(field: F): I[F] | undefined;
  /** Returns whether the program no longer sets a value. */
  removes(field: keyof I): boolean;
  /** Returns what the class passes under a hidden name. It is not stored, so it is never a change. */
  hint(hidden: string): unknown;
  /** Returns an input of the parent resource, if the program declares it and its id is known. */
  ofParent(field: string): unknown;
  /** This plan creates a resource, for the first time or as a replacement. */
  readonly creates: boolean;
  /** A request reads the resource, so a run can wait until it is ready. */
  readonly canWait: boolean;
  readonly settings: Settings;
}

export type Phase = "pending" | "ready" | "failed";

/** The states of a kind that is not ready as soon as it is created, and how to wait for them. */
export interface Readiness<R> {
  phase(remote: R): Phase;
  /** Returns the service's own word for the state. */
  status(remote: R): string;
  reason(remote: R): string | undefined;
  /** Waits for the wanted status or, without one, until the resource is in none of its pending states. */
  wait(api: CloudServices, id: string, options: WaitOptions<R>, wanted?: string): Promise<R>;
  /** Waits until the service no longer returns the resource, for kinds whose deletion takes time. */
  waitUntilDeleted?(api: CloudServices, id: string, options: WaitOptions<R>): Promise<void>;
}

/**
 * A kind that is an action on another resource. The service keeps no record of it that could be read, adopted or
 * deleted. An action that may have run is never repeated without a changed input.
 */
export interface ActionDefinition<I, R> {
  /** Returns the id of the resource that it acts on; the action has none of its own. */
  target(inputs: I): string;
  /** Returns whether the target shows that the action is running. */
  isRunning(target: R, inputs: I): boolean;
}

/** How the name of a resource is derived when the program sets none. */
export interface Naming<I, R> {
  readonly field: keyof I & string;
  readonly form: NameForm;
  /** The service rejects a second resource of the same name. */
  readonly unique?: true;
  /** Returns the service's time of creation, as an ISO 8601 string. */
  createdAt?(remote: R): string | undefined;
  /** Returns when the service deletes the resource; an unmanaged one may be left to expire. */
  expires?(remote: R): string | undefined;
}

/** How a resource is recognised at the service before its id is known. */
export interface Identity<I, R> {
  /** The identifying inputs, as messages name them. */
  readonly by: readonly (keyof I & string)[];
  /** Another identifying input, which the service chooses when the program sets none. */
  readonly chosen?: keyof I & string;
  matches(remote: R, inputs: I): boolean;
}

/** Changed inputs with their new values; `null` means that the program no longer sets the input. */
export type Changes<I> = { readonly [F in keyof I]?: I[F] | null };

export interface UpdateContext<I, R> {
  readonly before: I;
  readonly after: I;
  /** Records that these fields are applied, in case a later step fails. */
  markApplied(...fields: (keyof I & string)[]): void;
  /**
   * Records what this update removes temporarily, as the inputs that `converge` restores when the program sets none: in
   * this run or, if it is interrupted, in the next one.
   */
  restoreLater(inputs: Partial<I>): void;
  /** Returns whether an earlier update ended before it restored this field. */
  needsRestore(field: keyof I & string): boolean;
  /** Adds to the message of any later failure the state in which it leaves the resource. */
  addNote(text: string): void;
  /** Waits until the resource has the wanted status or, without one, is in none of its pending states. */
  waitUntilReady(wanted?: string): Promise<R>;
}

/** Everything about one kind of resource. The sdk marks each request as documented or assumed. */
export interface Kind<I extends object, R extends object> {
  readonly name: string;
  readonly inputs: { readonly [F in keyof I]-?: Input<NonNullable<I[F]>, R> };
  readonly outputs: Readonly<Record<string, Output<R>>>;
  readonly timeouts: Timeouts;

  /** Returns the id, or undefined when the response contains none. */
  id(remote: R): string | undefined;
  create(api: CloudServices, inputs: I): Promise<R>;
  read(api: CloudServices, id: string): Promise<R>;
  update?(
    api: CloudServices,
    id: string,
    changes: Changes<I>,
    context: UpdateContext<I, R>,
  ): Promise<R | undefined>;
  /** Absent when the service has nothing to delete. */
  delete?(api: CloudServices, id: string): Promise<void>;
  /** A sentence about what a resource that stays at the service does there. It may already be deleted. */
  readonly afterRemoval?: string;
  list?(api: CloudServices, page: { limit?: number }): ListPromise<R>;

  /** Applies to a ready resource the inputs that its creation request could not carry. Safe to repeat. */
  converge?(api: CloudServices, remote: R, context: UpdateContext<I, R>): Promise<R>;

  readonly naming?: Naming<I, R>;
  /** For kinds that can be listed. */
  readonly identity?: Identity<I, R>;
  readonly readiness?: Readiness<R>;
  readonly action?: ActionDefinition<I, R>;
  /** Sending the same creation twice has the same effect as sending it once. */
  readonly createIsIdempotent?: true;
  /** The input that is the id of the resource, so that the id is known without a response. */
  readonly idFrom?: keyof I & string;

  /** The kind of its parent resource, with which it shares the id. */
  readonly owner?: string;

  /** What the specification documents, for `api: documented`. */
  readonly documented?: {
    readonly list?: true;
    /** Sends a request that shows only whether the resource exists. */
    probe?(api: CloudServices, id: string): Promise<unknown>;
    /** Replaces `update` when no request shows the resource before or after a change. */
    update?: Kind<I, R>["update"];
  };

  /** Checks rules across fields, or between a field's old and new value. */
  validate?(planned: Planned<I>): Diagnostic[];
  /** Returns warnings about a valid plan. */
  notes?(planned: Planned<I>): string[];
  /** Returns the names of outputs that require a replacement. */
  mustReplace?(
    outputs: Readonly<Record<string, unknown>>,
    inputs: Readonly<Record<string, unknown>>,
    now: number,
  ): string[];
  /**
   * Returns whether a list shows that the parent does not exist, for kinds that are deleted with their parent and have
   * neither a list nor a probe.
   */
  isParentDeleted?(api: CloudServices, id: string): Promise<boolean>;
  /** Returns the outputs of a deleted resource for which that is the normal end, such as expiry. */
  expired?(outputs: Readonly<Record<string, unknown>>, now: number): Record<string, unknown> | undefined;
}

/** A kind with the types that its users see: the inputs `I`, the outputs `O` and the service's response `R`. */
export interface Definition<I extends object, O extends object, R extends object> extends Kind<I, R> {
  readonly outputs: Readonly<Record<string, Output<R>>> & { readonly [F in keyof O]-?: Output<R> };
}
