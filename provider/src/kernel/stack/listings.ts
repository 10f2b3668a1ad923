import {
  AbortError,
  AuthenticationError,
  BadRequestError,
  CloudServicesError,
  ConnectionError,
  type ListPromise,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnreadableResponseError,
} from "cloudservices-sdk";

/** The most items of a page that services commonly allow; the specification does not show the bounds. */
const PAGE = 100;

/** How long a complete listing shows what exists, in milliseconds. */
const FRESH = 60_000;

const PASSING = [
  AbortError,
  AuthenticationError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
] as const;

/**
 * Whether a listing that failed so may succeed later. Other failures say that the service, or this key, has no such
 * listing: a missing route or scope, a refused parameter, a response of another shape.
 */
export function isTransientListError(error: unknown): boolean {
  if (!(error instanceof CloudServicesError)) return true;
  // A page of a gateway instead of an envelope.
  if (error instanceof UnreadableResponseError) return error.issues.length === 0;
  return PASSING.some((passing) => error instanceof passing);
}

/** How a kind is listed. */
export type List<R> = (page: { limit?: number }) => ListPromise<R>;

interface Listing<R> {
  readonly items: Promise<readonly R[]>;
  /** In the order of what happens here. */
  readonly begun: number;
  /** By the clock; undefined while it is in flight. */
  ended?: number;
}

/**
 * Complete listings of one kind, shared by all who ask. What a listing shows exists, whenever the listing began. That
 * it does not show something proves something only when it began after the question.
 */
export class SharedListings<R extends object> {
  #latest: Listing<R> | undefined;
  /** Many things happen in one millisecond: this says which was first. */
  #moment = 0;
  #page: { limit?: number } = { limit: PAGE };

  constructor(
    private readonly list: List<R> | undefined,
    private readonly clock: { now(): number },
  ) {}

  /**
   * Returns what `pick` finds in a listing, or undefined when it finds nothing in a complete listing that began after
   * this call.
   *
   * @throws the sdk's error when a listing that began after this call fails, and not only for the deadline of another.
   */
  async search<T>(pick: (items: readonly R[]) => T | undefined): Promise<T | undefined> {
    const asked = ++this.#moment;
    let mine: Listing<R> | undefined;
    for (;;) {
      const listing = this.#latest;
      if (listing && this.#isFresh(listing)) {
        const outcome = await listing.items.then(
          (items) => ({ found: pick(items) }),
          (error: unknown) => ({ error }),
        );
        if ("found" in outcome && outcome.found !== undefined) return outcome.found;
        if (listing.begun > asked) {
          if (!("error" in outcome)) return undefined;
          // Another operation's deadline or cancellation ended its listing, and not ours.
          const isTheirs = outcome.error instanceof TimeoutError || outcome.error instanceof AbortError;
          if (listing === mine || !isTheirs) throw outcome.error;
        }
      }
      // Another who waited may have begun the next one.
      if (this.#latest !== listing) continue;
      this.#latest = mine = this.#begin();
    }
  }

  #isFresh({ ended }: Listing<R>): boolean {
    return ended === undefined || this.clock.now() - ended < FRESH;
  }

  #begin(): Listing<R> {
    const listing: Listing<R> = { items: this.#all(), begun: ++this.#moment };
    const end = () => {
      listing.ended = this.clock.now();
    };
    listing.items.then(end, end);
    return listing;
  }

  async #all(): Promise<readonly R[]> {
    if (!this.list) return [];
    const page = this.#page;
    try {
      return await this.list(page).toArray();
    } catch (error) {
      // The bounds of `limit` are not documented, so the service may refuse ours.
      if (!(error instanceof BadRequestError) || page.limit === undefined) throw error;
      this.#page = {};
      return await this.list(this.#page).toArray();
    }
  }
}
