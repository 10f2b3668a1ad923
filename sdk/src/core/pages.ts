import { type ApiPromise, type ApiResponse, apiPromise, type Meta } from "./api-promise.js";
import { PagingError } from "./errors.js";
import { idOf } from "./item-id.js";
import { itemsOf } from "./items.js";
import type { JsonObject } from "./json.js";
import type { RequestLabel } from "./request.js";

/** `meta` of a list. Specification: "Link shortener"; for other lists assumed. */
export interface ListMeta extends Meta {
  /** Whether there are more pages. */
  readonly hasMore?: boolean;
  /** The `startingAfter` of the next page. */
  readonly nextCursor?: string;
  /** The number of items on all pages. */
  readonly totalCount?: number;
}

/** One page of a list. */
export interface Page<T> {
  /** The items, in the order of the service. */
  readonly items: readonly T[];
  /** Whether there are more pages. */
  readonly hasMore: boolean;
  /** The `startingAfter` of the next page. */
  readonly nextCursor?: string;
  /** The number of items on all pages, where the service reports it. */
  readonly totalCount?: number;
  /** `meta` of the envelope. */
  readonly meta: ListMeta;
}

/**
 * A list: await it for its first page, or iterate it for all items of all pages.
 *
 * Iterating yields every item once, also when items shift by a few pages meanwhile. From the second page on it requests
 * the next page while the program works on the current one. It throws a {@link PagingError} instead of looping or
 * ending early.
 */
export interface ListPromise<T> extends ApiPromise<Page<T>>, AsyncIterable<T> {
  /** Yields all pages in order. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;
  /** Returns all items, or the first `limit` of them. */
  toArray(options?: { readonly limit?: number }): Promise<T[]>;
}

/** A page with the `meta` of the wire, not yet read. */
export interface RawPage<T> extends Omit<ApiResponse<unknown>, "data"> {
  readonly items: readonly T[];
  readonly paging: JsonObject;
}

/** The most pages of a list, and the most empty pages in a row. */
const MAX_PAGES = 10_000;
const MAX_EMPTY_PAGES = 20;

/** The state of one iteration over pages, which makes sure that it ends. */
interface PageWalk {
  readonly cursors: Set<string>;
  empty: number;
}

export function listPromise<T>(
  fetch: (cursor: string | undefined) => Promise<RawPage<T>>,
  label: RequestLabel,
): ListPromise<T> {
  const fetchPage = async (cursor: string | undefined): Promise<ApiResponse<Page<T>>> => {
    const { items, paging, meta, status, headers } = await fetch(cursor);
    return { data: toPage(items, paging, meta), meta, status, headers };
  };
  const first = apiPromise(fetchPage(undefined));

  const following = (page: Page<T>, walk: PageWalk): string | undefined => {
    if (!page.hasMore) return undefined;
    walk.empty = page.items.length === 0 ? walk.empty + 1 : 0;
    const cursor = page.nextCursor;
    if (cursor === undefined) throw pagingError(label, "announces more pages without a cursor");
    if (walk.cursors.has(cursor)) throw pagingError(label, "returned the same cursor twice");
    if (walk.cursors.size >= MAX_PAGES) throw pagingError(label, `announces more than ${MAX_PAGES} pages`);
    if (walk.empty >= MAX_EMPTY_PAGES) {
      throw pagingError(label, `returned ${walk.empty} empty pages in a row and announces more`);
    }
    walk.cursors.add(cursor);
    return cursor;
  };

  const next = async (page: Page<T>, walk: PageWalk): Promise<Page<T> | undefined> => {
    const cursor = following(page, walk);
    return cursor === undefined ? undefined : (await fetchPage(cursor)).data;
  };

  async function* pages(readAhead = false): AsyncGenerator<Page<T>, void, undefined> {
    const walk: PageWalk = { cursors: new Set(), empty: 0 };
    let page: Page<T> | undefined = await first;
    for (let count = 1; page !== undefined; count += 1) {
      // A program that reads a second page usually reads a third, so prefetch it.
      const prefetched: Promise<Page<T> | undefined> | undefined =
        readAhead && count > 1 ? next(page, walk) : undefined;
      // Its failure surfaces below, when the page is due.
      prefetched?.catch(() => {});
      yield page;
      page = await (prefetched ?? next(page, walk));
    }
  }

  return Object.assign(first, {
    pages: () => pages(),
    [Symbol.asyncIterator]: () => itemsOf(pages(true)),
    async toArray({ limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {}) {
      const all: T[] = [];
      if (limit <= 0) return all;
      const items = itemsOf(pages(limit === Number.POSITIVE_INFINITY));
      for await (const item of { [Symbol.asyncIterator]: () => items }) {
        all.push(item);
        if (all.length >= limit) break;
      }
      return all;
    },
  });
}

function toPage<T>(items: readonly T[], paging: JsonObject, meta: Meta): Page<T> {
  const { has_more: more, next_cursor: next, total_count: total } = paging;
  const given = typeof next === "string" && next !== "" ? next : undefined;
  const hasMore = typeof more === "boolean" ? more : given !== undefined;
  // `starting_after` takes an id, so the id of the last item works where the service returns no cursor.
  const nextCursor = hasMore ? (given ?? idOf(items.at(-1))) : undefined;
  const found = {
    hasMore,
    ...(nextCursor !== undefined && { nextCursor }),
    ...(typeof total === "number" && { totalCount: total }),
  };
  return { items, ...found, meta: { ...meta, ...found } };
}

function pagingError({ method, path }: RequestLabel, what: string): PagingError {
  const message = `${method} ${path}: the list cannot be read to its end: the service ${what}.`;
  return new PagingError({ message, method, path });
}
