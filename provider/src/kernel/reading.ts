import type { CloudServices } from "cloudservices-sdk";
import { fieldsOf, type Kind } from "./kind.js";

const PAGE = 100;

/** How long what a listing said is believed, in milliseconds. */
const FRESH = 60_000;

interface Seen<R> {
  readonly remote: R;
  readonly at: number;
}

/**
 * Reads resources of one kind by the page where that takes fewer requests than one by one: the first read fetches
 * one page, its total count says how many more there are, and the listing goes on only as far as it costs no more
 * than the reads that were asked for until then, and one.
 */
export class PagedReader<I extends object, R extends object> {
  readonly #seen = new Map<string, Seen<R>>();
  #reads = 0;
  #pages = 0;
  #listed = 0;
  #total: number | undefined;
  #cursor: string | undefined;
  #ended = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly kind: Kind<I, R>,
    private readonly api: CloudServices,
    private readonly clock: { now(): number },
  ) {}

  /** The resource as the service knows it. Errors are the sdk's, of the direct request. */
  async read(id: string): Promise<R> {
    this.#reads++;
    const listed = await this.#inTurn(() => this.#find(id, () => this.#isWorthListing())).catch(
      () => undefined,
    );
    // A listing may fail, leave fields out or lag behind: what it does not tell is asked for directly.
    return listed !== undefined && this.#isWhole(listed) ? listed : this.kind.read(this.api, id);
  }

  /** The resource in a complete listing, or nothing when it is not there. For a kind that cannot be read directly. */
  findInList(id: string): Promise<R | undefined> {
    return this.#inTurn(() => this.#find(id, () => true));
  }

  /** After a write, what was listed before no longer holds. */
  forget(id: string): void {
    this.#seen.delete(id);
  }

  /** One listing at a time, so that those who wait profit from the pages that others fetched. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #find(id: string, worthIt: () => boolean): Promise<R | undefined> {
    for (;;) {
      const seen = this.#seen.get(id);
      if (seen !== undefined && this.clock.now() - seen.at < FRESH) return seen.remote;
      if (this.#ended || !this.kind.list || !worthIt()) return undefined;
      await this.#nextPage();
    }
  }

  #isWorthListing(): boolean {
    if (this.#total === undefined) return this.#pages <= this.#reads;
    return this.#pages + Math.ceil((this.#total - this.#listed) / PAGE) <= this.#reads + 1;
  }

  async #nextPage(): Promise<void> {
    const at = this.clock.now();
    const after = this.#cursor === undefined ? {} : { startingAfter: this.#cursor };
    this.#pages++;
    const page = await this.kind.list?.(this.api, { limit: PAGE, ...after });
    let fresh = 0;
    for (const remote of page?.items ?? []) {
      const id = this.kind.id(remote);
      if (id === undefined || this.#seen.has(id)) continue;
      this.#seen.set(id, { remote, at });
      fresh++;
    }
    this.#listed += fresh;
    this.#total = page?.totalCount;
    this.#cursor = page?.nextCursor;
    // A page without anything new would lead round in a circle.
    this.#ended = !page?.hasMore || this.#cursor === undefined || fresh === 0;
  }

  #isWhole(remote: R): boolean {
    const outputs = Object.values(this.kind.outputs).every(
      (output) => output.optional || output.from(remote) !== undefined,
    );
    return (
      outputs && fieldsOf(this.kind).every(([, input]) => !input.from || input.from(remote) !== undefined)
    );
  }
}
