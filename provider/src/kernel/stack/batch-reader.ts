import { BadRequestError, type CloudServices, type ListPromise, type Page } from "cloudservices-sdk";
import { fieldsOf, type Kind, valueIn } from "../definition/kind.js";

const PAGE = 100;

/** How long what a listing said is believed, in milliseconds. */
const FRESH = 60_000;

interface Seen<R> {
  readonly remote: R;
  /** By the clock. */
  readonly at: number;
  /** In the order of what happens here. */
  readonly moment: number;
}

/** One walk along the pages, from the first to the last. */
interface Listing<R> {
  readonly pages: AsyncIterator<Page<R>, void>;
  readonly begun: number;
  listed: number;
  complete: boolean;
}

/**
 * Reads resources of one kind by the page where that takes fewer requests than one by one: the first read fetches
 * one page, its total count says how many more there are, and the listing goes on only as far as it costs no more
 * than the reads that were asked for until then, and one.
 */
export class BatchReader<I extends object, R extends object> {
  readonly #seen = new Map<string, Seen<R>>();
  readonly #forgotten = new Map<string, number>();
  #listing: Listing<R> | undefined;
  #failure: { readonly error: unknown; readonly moment: number } | undefined;
  #reads = 0;
  #pages = 0;
  #total: number | undefined;
  /** Many things happen in one millisecond: this tells which was first. */
  #moment = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #page: { limit?: number } = { limit: PAGE };
  readonly #direct = new Set<string>();

  constructor(
    private readonly kind: Kind<I, R>,
    private readonly api: CloudServices,
    private readonly clock: { now(): number },
  ) {}

  /** The resource as the service knows it. Errors are the sdk's, of the direct request. */
  async read(id: string): Promise<R> {
    this.#reads++;
    const listed = await this.#inTurn(() => this.#glance(id)).catch(() => undefined);
    // A listing may fail, leave fields out or lag behind: what it does not tell is asked for directly.
    return listed !== undefined && this.#isWhole(listed) ? listed : this.readDirectly(id);
  }

  /** By the resource's own route, whatever a listing says. */
  async readDirectly(id: string): Promise<R> {
    const remote = await this.kind.read(this.api, id);
    this.#direct.add(id);
    return remote;
  }

  /** Whether this resource has been read by its own route. */
  hasRead(id: string): boolean {
    return this.#direct.has(id);
  }

  /** Whether any has, so that the service has that route. */
  get hasReadDirectly(): boolean {
    return this.#direct.size > 0;
  }

  /** Whether a listing of this process is complete and does not have it. */
  isMissingFromList(id: string): boolean {
    return this.#listing?.complete === true && !this.#seen.has(id) && !this.#forgotten.has(id);
  }

  /**
   * For a kind that cannot be read directly: the resource in a listing, or nothing when it is not in a complete one
   * that was begun after this question.
   *
   * @throws the sdk's errors when the service cannot be listed to the end.
   */
  findInList(id: string): Promise<R | undefined> {
    const asked = ++this.#moment;
    return this.#inTurn(() => this.#search(id, asked));
  }

  /** After a write, what was listed before no longer holds. */
  forget(id: string): void {
    this.#seen.delete(id);
    this.#forgotten.set(id, ++this.#moment);
  }

  /** One listing at a time, so that those who wait profit from the pages that others fetched. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #glance(id: string): Promise<R | undefined> {
    const { list } = this.kind;
    for (;;) {
      const seen = this.#seen.get(id);
      if (seen && this.#isFresh(seen)) return seen.remote;
      const missed = this.#listing?.complete && !seen;
      // Each try of a listing that fails would cost more than the read that it is to save.
      if (!list || missed || this.#failure || !this.#isWorthListing()) return undefined;
      await this.#nextPage(list);
    }
  }

  async #search(id: string, asked: number): Promise<R | undefined> {
    const { list } = this.kind;
    for (;;) {
      const seen = this.#seen.get(id);
      if (seen && (seen.moment > asked || this.#isFresh(seen))) return seen.remote;
      if (!list || (this.#listing?.complete && this.#listing.begun > asked)) return undefined;
      if (this.#failure && this.#failure.moment > asked) throw this.#failure.error;
      await this.#nextPage(list);
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

  async #nextPage(list: (api: CloudServices, page: { limit?: number }) => ListPromise<R>): Promise<void> {
    const at = this.clock.now();
    const moment = ++this.#moment;
    if (!this.#listing || this.#listing.complete) {
      const pages = list(this.api, this.#page).pages();
      this.#listing = { pages, begun: moment, listed: 0, complete: false };
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
      // The bounds of `limit` are not documented, so the service may refuse ours.
      if (error instanceof BadRequestError && this.#page.limit !== undefined) {
        this.#page = {};
        return this.#nextPage(list);
      }
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
