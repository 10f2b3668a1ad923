import type { CloudServices, ListPromise, WaitOptions } from "cloudservices-sdk";
import { z } from "zod";
import type { Settings } from "../settings/settings.js";
import type { NameForm } from "./auto-name.js";
import type { Timeouts } from "./timeouts.js";

/** What a changed input makes of the resource: a request, a new resource, or only a note in the state. */
export type OnChange = "update" | "replace" | "record";

/** One input of a kind: what it may hold, and what a change of it does. */
export interface Input<T, R> {
  readonly schema: z.ZodType<T>;
  readonly onChange: OnChange;
  /** May be left out. An optional input with a default shows the default in the preview. */
  readonly optional?: true;
  readonly default?: T;
  /** Never shown, stored encrypted. */
  readonly secret?: true;
  /**
   * Spellings that mean the same; the spelling in the state then stays. Where one may say more than another, whether
   * what holds is all that is asked for.
   */
  isEquivalent?(holds: T, asked: T): boolean;
  /** How the service's answer shows it. Without this, drift of the field cannot be seen. */
  from?(remote: R): T | undefined;
  /** The values that the specification lists. Others pass with a warning, except those that look misspelt. */
  readonly allowedValues?: readonly string[];
  /** Other inputs can make a change of this one replace the resource. */
  replaceIf?(inputs: Readonly<Record<string, unknown>>): boolean;
  /** The specification shows a request that changes this field. */
  readonly documentedChange?: true;
  /** The creation does not send it: `converge` brings it about. */
  readonly afterCreation?: true;
  /** A change of it may leave something for `converge` to bring about. */
  readonly converges?: true;
  /** The request that creates a resource cannot ask for it. */
  readonly notAtCreation?: true;
}

/** One value that only the service knows. */
export interface Output<R> {
  /** Undefined: the answer does not tell, and the value stays as it was. Null: there is none. */
  from(remote: R, inputs?: Readonly<Record<string, unknown>>): unknown;
  readonly secret?: true;
  /** Not every resource of the kind has it, at any time. */
  readonly optional?: true;
}

export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** The inputs as a rule across fields sees them: a value is undefined when it is absent or not yet known. */
export interface Planned<I> {
  after<F extends keyof I>(field: F): I[F] | undefined;
  before<F extends keyof I>(field: F): I[F] | undefined;
  /** The program gives a value no longer. */
  removes(field: keyof I): boolean;
  /** What the class says beside the inputs, under a hidden name. It is not stored, so it never is a change. */
  hint(hidden: string): unknown;
  /** No resource exists yet, or this plan gives it up for a new one. */
  readonly creates: boolean;
  readonly settings: Settings;
}

export type Phase = "pending" | "ready" | "failed";

/** Of a kind that is not usable at once: which of its states are which, and how to wait. */
export interface Readiness<R> {
  phase(remote: R): Phase;
  /** The service's own word for the state it is in. */
  status(remote: R): string;
  reason(remote: R): string | undefined;
  /** Without a wanted status, until the resource is in none of its pending states. */
  wait(api: CloudServices, id: string, options: WaitOptions<R>, wanted?: string): Promise<R>;
  /** A deletion takes time as well: waits until the service no longer knows the resource. */
  waitUntilDeleted?(api: CloudServices, id: string, options: WaitOptions<R>): Promise<void>;
}

/**
 * Of a kind that is done to another resource, and of which the service keeps nothing that could be read, adopted or
 * deleted. What may have been done is never done again by itself: it stays in the state until an input changes.
 */
export interface ActionDefinition<I, R> {
  /** The id of the resource to which it is done; an occurrence has none of its own. */
  target(inputs: I): string;
  /** The target, as read, shows that it is being done. */
  isRunning(target: R, inputs: I): boolean;
}

/** How the name of a resource is derived where the program gives none. */
export interface Naming<I, R> {
  readonly field: keyof I & string;
  readonly form: NameForm;
  /** The service refuses a second resource of the same name. */
  readonly unique?: true;
  /** The service's own time of creation, as an ISO 8601 string. */
  createdAt?(remote: R): string | undefined;
  /** When the service lets go of a resource by itself; such a resource may be left to it. */
  expires?(remote: R): string | undefined;
}

/** How a resource is known again at the service before its id is known. */
export interface Identity<I, R> {
  /** What it is known by, as messages say it. */
  readonly by: readonly (keyof I & string)[];
  /** What it is known by as well, and what the service chooses where the program gives nothing. */
  readonly chosen?: keyof I & string;
  matches(remote: R, inputs: I): boolean;
}

/** Changed inputs with their new values; `null` stands for one that the program no longer gives. */
export type Changes<I> = { readonly [F in keyof I]?: I[F] | null };

export interface UpdateContext<I, R> {
  readonly before: I;
  readonly after: I;
  /** Notes that these fields hold from now on, in case that a later step fails. */
  markApplied(...fields: (keyof I & string)[]): void;
  /**
   * Notes what this update takes away for as long as it lasts, as the inputs that `converge` puts back where the program
   * gives none: in this run or, should it end before that, in the next one.
   */
  restoreLater(inputs: Partial<I>): void;
  /** Whether an earlier update has ended before it could put this back. */
  needsRestore(field: keyof I & string): boolean;
  /** In what state a failure from here on leaves the resource, to be told beside its reason. */
  addNote(text: string): void;
  /** Waits until the resource has the wanted status or, without one, is in none of its pending states. */
  waitUntilReady(wanted?: string): Promise<R>;
}

/** Everything about one kind of resource. Requests are marked by the sdk as documented or assumed. */
export interface Kind<I extends object, R extends object> {
  readonly name: string;
  readonly inputs: { readonly [F in keyof I]-?: Input<NonNullable<I[F]>, R> };
  readonly outputs: Readonly<Record<string, Output<R>>>;
  readonly timeouts: Timeouts;

  /** Nothing where the service's answer does not show one. */
  id(remote: R): string | undefined;
  create(api: CloudServices, inputs: I): Promise<R>;
  read(api: CloudServices, id: string): Promise<R>;
  update?(
    api: CloudServices,
    id: string,
    changes: Changes<I>,
    context: UpdateContext<I, R>,
  ): Promise<R | undefined>;
  /** Absent where the service has nothing that could be deleted. */
  delete?(api: CloudServices, id: string): Promise<void>;
  /** What a resource that is left at the service does there, in a sentence. It may have gone already. */
  readonly afterRemoval?: string;
  list?(api: CloudServices, page: { limit?: number }): ListPromise<R>;

  /** Brings a ready resource to what its creation could not ask for. Safe to repeat. */
  converge?(api: CloudServices, remote: R, context: UpdateContext<I, R>): Promise<R>;

  readonly naming?: Naming<I, R>;
  /** Of a kind that can be listed. */
  readonly identity?: Identity<I, R>;
  readonly readiness?: Readiness<R>;
  readonly action?: ActionDefinition<I, R>;
  /** Sending the same creation twice is the same as sending it once. */
  readonly createIsIdempotent?: true;
  /** The id where the inputs alone determine it, so that no answer is needed to know it. */
  idFrom?(inputs: I): string;

  /** The kind of the resource that it belongs to, and whose id is its own as well. */
  readonly owner?: string;

  /** What the specification itself offers, for `api: documented`. */
  readonly documented?: {
    readonly list?: true;
    /** A request that tells whether the resource exists, and nothing else. */
    probe?(api: CloudServices, id: string): Promise<unknown>;
    /** Instead of `update`, where nothing tells how the resource is before or after a change. */
    update?: Kind<I, R>["update"];
  };

  /** Rules that concern more than one field, or the field before and after. */
  validate?(planned: Planned<I>): CheckFailure[];
  /** What the user should know about a plan that is allowed. */
  notes?(planned: Planned<I>): string[];
  /** Outputs that say that the resource can only be replaced, by name. */
  mustReplace?(
    outputs: Readonly<Record<string, unknown>>,
    inputs: Readonly<Record<string, unknown>>,
    now: number,
  ): string[];
  /**
   * Of a kind that ends with the resource it belongs to, and has neither a list nor a probe: whether a list shows that
   * that resource does not exist.
   */
  isParentDeleted?(api: CloudServices, id: string): Promise<boolean>;
  /** The outputs of a resource that the service no longer knows, where that is how it normally ends. */
  expired?(outputs: Readonly<Record<string, unknown>>, now: number): Record<string, unknown> | undefined;
}

/** A kind with the types that its users see: the inputs `I`, the outputs `O` and the service's answer `R`. */
export interface Definition<I extends object, O extends object, R extends object> extends Kind<I, R> {
  readonly outputs: Readonly<Record<string, Output<R>>> & { readonly [F in keyof O]-?: Output<R> };
}

/** Gives a definition its types; everything else about a kind is in the definition. */
export const defineKind = <I extends object, O extends object, R extends object>(
  definition: Definition<I, O, R>,
): Definition<I, O, R> => definition;

export const fieldsOf = <I extends object, R extends object>(
  kind: Kind<I, R>,
): [string, Input<unknown, R>][] => Object.entries(kind.inputs);

/** What an answer says of a property. What cannot be derived from it is unknown, and never an error. */
export function valueIn<T, R>(
  property: { from?(remote: R, inputs?: Readonly<Record<string, unknown>>): T | undefined },
  remote: R | undefined,
  inputs: Readonly<Record<string, unknown>> = {},
): T | undefined {
  if (remote === undefined) return undefined;
  try {
    return property.from?.(remote, inputs);
  } catch {
    return undefined;
  }
}

/** The id in an answer, where it shows one that can be used. */
export function idIn<I extends object, R extends object>(kind: Kind<I, R>, remote: R): string | undefined {
  try {
    return kind.id(remote) || undefined;
  } catch {
    return undefined;
  }
}

const schemas = new WeakMap<object, z.ZodType>();

/** The schema of a kind's inputs, made once. */
function schemaOf<I extends object, R extends object>(kind: Kind<I, R>): z.ZodType {
  const made = schemas.get(kind);
  if (made) return made;
  const shape = fieldsOf(kind).map(([field, { schema, optional }]) => [
    field,
    optional ? schema.optional() : schema,
  ]);
  const schema = z.object(Object.fromEntries(shape));
  schemas.set(kind, schema);
  return schema;
}

/**
 * The inputs as the kind's own functions take them.
 *
 * The types of a kind are asserted here rather than inferred: the schema is built from a mapped type, which the
 * compiler cannot turn back into `I`. The values have been checked against it at run time. The view of a plan, whose
 * inputs may be unknown or none, asserts single fields in the same way.
 */
export const inputsOf = <I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Readonly<Record<string, unknown>>,
): I => schemaOf(kind).parse(values) as I;
