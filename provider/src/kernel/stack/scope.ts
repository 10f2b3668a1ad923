import { type Capabilities, capabilitiesOf } from "../definition/capabilities.js";
import type { Kind } from "../definition/kind.js";
import { valueIn } from "../definition/kind-values.js";
import { isPresent, type Properties } from "../definition/properties.js";
import { factOf } from "../diagnostics/errors.js";
import { readState } from "../state/resource-state.js";
import { BatchReader } from "./batch-reader.js";
import { ExistingResources } from "./existing-resources.js";
import { isTransientListError, SharedListings } from "./listings.js";
import { Pages } from "./pages.js";
import { ServiceDefault } from "./service-default.js";
import type { Session } from "./session.js";

/** A resource of the state, as diff sees it before its successor is created. */
export interface Predecessor {
  readonly id: string;
  readonly outputs: Properties;
}

/** What the operations of one process on one kind share: its reads and the resources known to exist. */
export class Scope<I extends object, R extends object> {
  readonly capabilities: Capabilities<I, R>;
  readonly reader: BatchReader<I, R>;
  readonly #listings: SharedListings<R>;
  #existing: Promise<ExistingResources<R> | undefined> | undefined;
  readonly #deleted = new Set<string>();
  readonly #default = new ServiceDefault();
  /** By URN, the resources that were last seen with another API key. Each is read before its successor is created. */
  readonly predecessors = new Map<string, Predecessor>();

  constructor(
    readonly kind: Kind<I, R>,
    readonly session: Session,
  ) {
    const { list } = kind;
    this.capabilities = capabilitiesOf(kind, session.settings);
    const pages = list && new Pages((page) => list(session.api, page));
    this.reader = new BatchReader(kind, session.api, pages, session.clock);
    this.#listings = new SharedListings(pages, session.clock);
  }

  /**
   * Returns the resources that existed before this process created its first one, without those deleted since.
   * Undefined if the service or the key does not allow the listing.
   *
   * @throws the sdk's error when the listing may succeed later.
   */
  existing(): Promise<ExistingResources<R> | undefined> {
    this.#existing ??= this.#listings
      .search((items) => new ExistingResources(this.kind, items, this.#deleted))
      .catch((error: unknown) => {
        if (isTransientListError(error)) {
          this.#existing = undefined;
          throw error;
        }
        this.session.warnOnce(
          undefined,
          `${this.kind.name}: the service does not list existing resources (${factOf(error)}), so resources that an ` +
            "interrupted run left or another stack owns are not detected.",
        );
        return undefined;
      });
    return this.#existing;
  }

  /** Records that this process has deleted a resource, or found it deleted. */
  markDeleted(id: string): void {
    this.#deleted.add(id);
    this.reader.forget(id);
    this.session.claims.confirm(this.kind.name, id, false);
  }

  /** Records that this stack's state drops a resource, so that its successor does not wait for it. */
  markReleased(id: string): void {
    for (const [urn, predecessor] of this.predecessors)
      if (predecessor.id === id) this.predecessors.delete(urn);
  }

  /**
   * Returns what `pick` finds among the service's resources of the kind, or undefined when it finds nothing in a
   * complete listing that began after this call.
   */
  search<T>(pick: (items: readonly R[]) => T | undefined): Promise<T | undefined> {
    return this.#listings.search((items) =>
      pick(items.filter((remote) => !this.#deleted.has(this.kind.id(remote) ?? ""))),
    );
  }

  /** Learns from a response which value the service chooses when the program sets none. */
  noteCreated(values: Properties, remote: R): void {
    const field = this.kind.identity?.chosen;
    if (field === undefined || isPresent(values[field])) return;
    this.#default.noteCreated(valueIn(this.kind.inputs[field], remote));
  }

  /** Learns the same from the outputs of a resource that an earlier run has created. */
  noteStored(outputs: Properties): void {
    const field = this.kind.identity?.chosen;
    const memory = readState(outputs);
    // An adopted resource may have been created with any value.
    if (field === undefined || !memory || memory.given.includes(field) || isPresent(outputs["adopt"])) return;
    this.#default.noteStored(outputs[field]);
  }

  /** Returns the inputs as the service completes them, and whether they identify one resource. */
  completed(inputs: I): { readonly inputs: I; readonly isCertain: boolean } {
    const field = this.kind.identity?.chosen;
    if (field === undefined || isPresent(inputs[field])) return { inputs, isCertain: true };
    const { value } = this.#default;
    return value === undefined
      ? { inputs, isCertain: false }
      : { inputs: { ...inputs, [field]: value }, isCertain: true };
  }
}

/** Returns the scope of a kind for a session, the same one as long as the session is the same. */
export function scopesOf<I extends object, R extends object>(
  kind: Kind<I, R>,
): (session: Session) => Scope<I, R> {
  let scope: Scope<I, R> | undefined;
  return (session) => {
    if (scope?.session !== session) scope = new Scope(kind, session);
    return scope;
  };
}
