import { Census } from "./census.js";
import type { Kind } from "./kind.js";
import type { Predecessor } from "./predecessor.js";
import { PagedReader } from "./reading.js";
import type { Session } from "./session.js";

/** What the operations of one process on one kind share: its reads and what it knows to exist. */
export class Scope<I extends object, R extends object> {
  readonly reader: PagedReader<I, R>;
  #census: Promise<Census<R>> | undefined;
  readonly #gone = new Set<string>();
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
    this.reader = new PagedReader(kind, session.api, session.clock);
  }

  /** What the service had of the kind before this process created its first one, without what is gone since. */
  census(): Promise<Census<R>> {
    this.#census ??= this.listAll().then(
      (list) => new Census(this.kind, list, this.#gone),
      (error: unknown) => {
        // A failed listing tells nothing; the next creation tries again.
        this.#census = undefined;
        throw error;
      },
    );
    return this.#census;
  }

  /** Notes that this process has deleted one, or found it deleted. */
  deleted(id: string): void {
    this.#gone.add(id);
    this.reader.forget(id);
    this.found.delete(id);
  }

  /** Notes that the state of this stack loses one: a successor has nothing to wait for. */
  released(id: string): void {
    for (const [urn, predecessor] of this.predecessors)
      if (predecessor.id === id) this.predecessors.delete(urn);
  }

  /** Everything of the kind that the service has now. */
  async listAll(): Promise<R[]> {
    return (await this.kind.list?.(this.session.api, { limit: 100 }).toArray()) ?? [];
  }
}
