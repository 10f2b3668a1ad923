import { setTimeout as delay } from "node:timers/promises";
import type { Journal, JournalEntry, RequestFilter } from "../http/journal.js";
import { ControlError } from "./resources.js";

export const DEFAULT_WAIT_MS = 30_000;
export const MAX_WAIT_MS = 600_000;

/** How many waits can be pending. */
const MAX_WAITS = 100;

export interface RequestWait {
  /** Only requests after the one with this id count, such as the last that was waited for. */
  readonly after?: string;
  /** Real milliseconds; 30,000 by default. */
  readonly timeoutMs?: number;
  /** Ends the wait, which then rejects. */
  readonly signal?: AbortSignal;
}

/** Waits for requests to the API. */
export class RequestWaits {
  readonly #journal: Journal;
  readonly #closing: AbortSignal;
  #pending = 0;

  constructor(journal: Journal, closing: AbortSignal) {
    this.#journal = journal;
    this.#closing = closing;
  }

  async waitFor(
    filter: RequestFilter,
    { after, timeoutMs = DEFAULT_WAIT_MS, signal: stop }: RequestWait = {},
  ): Promise<JournalEntry> {
    const known = this.#journal.first(filter, after);
    if (known) return known;
    if (this.#pending >= MAX_WAITS) throw new ControlError(409, `There are ${MAX_WAITS} waits already.`);
    this.#pending += 1;
    const ending = new AbortController();
    const signal = AbortSignal.any([this.#closing, ending.signal, ...(stop ? [stop] : [])]);
    let unwatch = () => {};
    try {
      const arrival = new Promise<JournalEntry>((resolve) => {
        unwatch = this.#journal.watch(() => {
          const found = this.#journal.first(filter, after);
          if (found) resolve(found);
        });
      });
      const found = await Promise.race([
        arrival,
        delay(Math.min(timeoutMs, MAX_WAIT_MS), undefined, { signal }).catch(() => undefined),
      ]);
      if (found) return found;
    } finally {
      unwatch();
      ending.abort();
      this.#pending -= 1;
    }
    if (stop?.aborted) throw new ControlError(409, "The wait was ended by its signal.");
    throw new ControlError(
      404,
      this.#closing.aborted ? "The sandbox is closing." : this.#reason(filter, timeoutMs),
    );
  }

  #reason(filter: RequestFilter, timeoutMs: number): string {
    const last = this.#journal.list({ limit: 1 })[0];
    const wanted = Object.entries(filter).map(([name, value]) => `${name} ${value}`);
    const seen = last ? `the last request was ${last.method} ${last.path}` : "there was no request";
    return `No request with ${wanted.join(", ") || "any content"} arrived within ${timeoutMs} ms; ${seen}.`;
  }
}
