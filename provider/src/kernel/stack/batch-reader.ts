import type { CloudServices, Page } from "cloudservices-sdk";
import type { Kind } from "../definition/kind.js";
import { fieldsOf, valueIn } from "../definition/kind-values.js";
import { FRESH, PAGE, type Pages } from "./pages.js";

interface Seen<R> {
  readonly remote: R;
  /** The time by the clock. */
  readonly at: number;
  /** The position in the order of events. */
  readonly moment: number;
}

/** One listing, from the first page to the last. */
interface Listing<R> {
  readonly pages: AsyncIterator<Page<R>, void>;
  readonly begun: number;
  listed: number;
  complete: boolean;
}

/**
 * Reads resources of one kind page by page if that takes fewer requests than single reads. The first read fetches one
 * page, which contains the total count; the listing continues while its requests do not exceed the reads so far by more
 * than one.
 */
export class BatchReader<I extends object, R extends object> {
  readonly #seen = new Map<string, Seen<R>>();
  readonly #forgotten = new Map<string, number>();
  #listing: Listing<R> | undefined;
  #failure: { readonly error: unknown; readonly moment: number } | undefined;
  #reads = 0;
  #pages = 0;
  #total: number | undefined;
  /** Orders events within one millisecond. */
  #moment = 0;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #direct = new Set<string>();

  constructor(
    private readonly kind: Kind<I, R>,
    private readonly api: CloudServices,
    private readonly pages: Pages<R> | undefined,
    private readonly clock: { now(): number },
  ) {}

  /**
   * Returns the resource from a listing or by its own route.
   *
   * @throws the sdk's error of the direct request.
   */
  async read(id: string): Promise<R> {
    this.#reads++;
    const listed = await this.#inTurn(() => this.#glance(id)).catch(() => undefined);
    // A listing may fail, omit fields or lag behind: read directly what it does not contain.
    return listed !== undefined && this.#isWhole(listed) ? listed : this.readDirectly(id);
  }

  /** Reads the resource by its own route, regardless of listings. */
  async readDirectly(id: string): Promise<R> {
    const remote = await this.kind.read(this.api, id);
    this.#direct.add(id);
    return remote;
  }

  /** Returns whether this resource has been read by its own route. */
  hasRead(id: string): boolean {
    return this.#direct.has(id);
  }

  /** Whether any resource has been read by its own route, which proves that the service has that route. */
  get hasReadDirectly(): boolean {
    return this.#direct.size > 0;
  }

  /** Returns whether a complete listing of this process does not contain the resource. */
  isMissingFromList(id: string): boolean {
    return this.#listing?.complete === true && !this.#seen.has(id) && !this.#forgotten.has(id);
  }

  /**
   * Returns the resource from a listing, for kinds without a route of their own, or undefined when a complete listing
   * that began after this call does not contain it.
   *
   * @throws the sdk's errors when the service cannot be listed to the end.
   */
  findInList(id: string): Promise<R | undefined> {
    const asked = ++this.#moment;
    return this.#inTurn(() => this.#search(id, asked));
  }

  /** Discards what was listed before a write. */
  forget(id: string): void {
    this.#seen.delete(id);
    this.#forgotten.set(id, ++this.#moment);
  }

  /** Runs one listing at a time, so that waiting reads can use the pages that others fetched. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #glance(id: string): Promise<R | undefined> {
    const { pages } = this;
    for (;;) {
      const seen = this.#seen.get(id);
      if (seen && this.#isFresh(seen)) return seen.remote;
      const missed = this.#listing?.complete && !seen;
      // Retrying a failed listing would cost more than the reads that it saves.
      if (!pages || missed || this.#failure || !this.#isWorthListing()) return undefined;
      await this.#nextPage(pages);
    }
  }

  async #search(id: string, asked: number): Promise<R | undefined> {
    const { pages } = this;
    for (;;) {
      const seen = this.#seen.get(id);
      if (seen && (seen.moment > asked || this.#isFresh(seen))) return seen.remote;
      if (!pages || (this.#listing?.complete && this.#listing.begun > asked)) return undefined;
      if (this.#failure && this.#failure.moment > asked) throw this.#failure.error;
      await this.#nextPage(pages);
    }
  }

  #isFresh({ at }: Seen<R>): boolean {
    return this.clock.now() - at < FRESH;
  }

  #isWorthListing(): boolean {
    if (this.#total === undefined) return this.#pages <= this.#reads;
    const listed = this.#listing?.complete ? 0 : (this.#listing?.listed ?? 0);
    return this.#pages + Math.ceil((this.#total - listed) / PAGE) <= this.#reads + 1;
  }

  async #nextPage(pages: Pages<R>): Promise<void> {
    const at = this.clock.now();
    const moment = ++this.#moment;
    if (!this.#listing || this.#listing.complete) {
      this.#listing = { pages: pages.walk(), begun: moment, listed: 0, complete: false };
    }
    const listing = this.#listing;
    this.#pages++;
    try {
      const { value: page } = await listing.pages.next();
      for (const remote of page?.items ?? []) {
        const id = this.kind.id(remote);
        if (id === undefined || (this.#forgotten.get(id) ?? 0) > moment) continue;
        this.#seen.set(id, { remote, at, moment });
      }
      listing.listed += page?.items.length ?? 0;
      listing.complete = !page?.hasMore;
      this.#total = page?.totalCount;
    } catch (error) {
      this.#listing = undefined;
      this.#failure = { error, moment: ++this.#moment };
      throw error;
    }
  }

  #isWhole(remote: R): boolean {
    const outputs = Object.values(this.kind.outputs).every(
      (output) => output.optional || valueIn(output, remote) !== undefined,
    );
    return (
      outputs && fieldsOf(this.kind).every(([, input]) => !input.from || valueIn(input, remote) !== undefined)
    );
  }
}
