import {
  AbortError,
  AuthenticationError,
  CloudServicesError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnreadableResponseError,
} from "cloudservices-sdk";
import { FRESH, type Pages } from "./pages.js";

const TRANSIENT = [
  AbortError,
  AuthenticationError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
] as const;

/**
 * Returns whether a failed listing may succeed later. Other failures mean that the service or this key has no such
 * listing: a missing route or scope, a rejected parameter, a response of another shape.
 */
export function isTransientListError(error: unknown): boolean {
  if (!(error instanceof CloudServicesError)) return true;
  // A gateway's page instead of an envelope.
  if (error instanceof UnreadableResponseError) return error.issues.length === 0;
  return TRANSIENT.some((transient) => error instanceof transient);
}

interface Listing<R> {
  readonly items: Promise<readonly R[]>;
  /** The position in the order of events. */
  readonly begun: number;
  /** The time by the clock; undefined while it is in flight. */
  ended?: number;
}

/**
 * Complete listings of one kind, shared by concurrent searches. A resource in a listing exists, whenever the listing
 * began. A missing resource proves absence only if the listing began after the search.
 */
export class SharedListings<R extends object> {
  #latest: Listing<R> | undefined;
  /** Orders events within one millisecond. */
  #moment = 0;

  constructor(
    private readonly pages: Pages<R> | undefined,
    private readonly clock: { now(): number },
  ) {}

  /**
   * Returns what `pick` finds in a listing, or undefined when it finds nothing in a complete listing that began after
   * this call.
   *
   * @throws the sdk's error when a listing that began after this call fails, except for the deadline of another search.
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
          // The deadline or cancellation of another operation ended the listing.
          const isTheirs = outcome.error instanceof TimeoutError || outcome.error instanceof AbortError;
          if (listing === mine || !isTheirs) throw outcome.error;
        }
      }
      // Another waiting search may have begun the next one.
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
    return this.pages?.all() ?? [];
  }
}
