import { type Kind, valueIn } from "../definition/kind.js";
import { isPresent, type Properties } from "../definition/properties.js";
import { factOf } from "../diagnostics/errors.js";
import { readState } from "../state/resource-state.js";
import { BatchReader } from "./batch-reader.js";
import { ExistingResources } from "./existing-resources.js";
import { isTransientListError, SharedListings } from "./listings.js";
import { ServiceDefault } from "./service-default.js";
import type { Session } from "./session.js";

/** A resource of the state, as the diff sees it before its successor is created. */
export interface Predecessor {
  readonly id: string;
  readonly outputs: Properties;
}

/** What the operations of one process on one kind share: its reads and what it knows to exist. */
export class Scope<I extends object, R extends object> {
  readonly reader: BatchReader<I, R>;
  readonly #listings: SharedListings<R>;
  #census: Promise<ExistingResources<R> | undefined> | undefined;
  readonly #gone = new Set<string>();
  readonly #default = new ServiceDefault();
  /** By id, the URN under which this process has taken over what it found under a derived name. */
  readonly takenOver = new Map<string, string>();
  /** By URN, the resources that were last seen with another key. Their successors are created after a read. */
  readonly predecessors = new Map<string, Predecessor>();
  /** The ids that a read of this process has found. */
  readonly found = new Set<string>();

  constructor(
    readonly kind: Kind<I, R>,
    readonly session: Session,
  ) {
    const { list } = kind;
    this.reader = new BatchReader(kind, session.api, session.clock);
    this.#listings = new SharedListings(list && ((page) => list(session.api, page)), session.clock);
  }

  /**
   * What the service had of the kind before this process created its first one, without what is gone since. Undefined
   * where the service or the key does not allow the listing.
   *
   * @throws the sdk's error when the listing may succeed later.
   */
  existing(): Promise<ExistingResources<R> | undefined> {
    this.#census ??= this.#listings
      .search((items) => new ExistingResources(this.kind, items, this.#gone))
      .catch((error: unknown) => {
        if (isTransientListError(error)) {
          this.#census = undefined;
          throw error;
        }
        this.session.warnOnce(
          undefined,
          `${this.kind.name}: the service does not list existing resources (${factOf(error)}), so duplicates of what an ` +
            "interrupted run left, or another stack owns, are not detected.",
        );
        return undefined;
      });
    return this.#census;
  }

  /** Notes that this process has deleted one, or found it deleted. */
  markDeleted(id: string): void {
    this.#gone.add(id);
    this.reader.forget(id);
    this.found.delete(id);
  }

  /** Notes that the state of this stack loses one: a successor has nothing to wait for. */
  markReleased(id: string): void {
    for (const [urn, predecessor] of this.predecessors)
      if (predecessor.id === id) this.predecessors.delete(urn);
  }

  /**
   * Returns what `pick` finds among all of the kind that the service has, or undefined when it finds nothing in a
   * complete listing that began after this call.
   */
  search<T>(pick: (items: readonly R[]) => T | undefined): Promise<T | undefined> {
    return this.#listings.search((items) =>
      pick(items.filter((remote) => !this.#gone.has(this.kind.id(remote) ?? ""))),
    );
  }

  /** Learns from a response what the service chooses where the program gives nothing. */
  noteCreated(values: Properties, remote: R): void {
    const field = this.kind.identity?.chosen;
    if (field === undefined || isPresent(values[field])) return;
    this.#default.answered(valueIn(this.kind.inputs[field], remote));
  }

  /** Learns the same from the outputs of a resource that an earlier run has created. */
  noteStored(outputs: Properties): void {
    const field = this.kind.identity?.chosen;
    const memory = readState(outputs);
    // What was adopted may be anything: its creation is unknown.
    if (field === undefined || !memory || memory.given.includes(field) || isPresent(outputs["adopt"])) return;
    this.#default.remembered(outputs[field]);
  }

  /** The inputs as the service completes them, and whether they then identify one resource. */
  completed(inputs: I): { readonly inputs: I; readonly isCertain: boolean } {
    const field = this.kind.identity?.chosen;
    if (field === undefined || isPresent(inputs[field])) return { inputs, isCertain: true };
    const { value } = this.#default;
    return value === undefined
      ? { inputs, isCertain: false }
      : { inputs: { ...inputs, [field]: value }, isCertain: true };
  }
}
