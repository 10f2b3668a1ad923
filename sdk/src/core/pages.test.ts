import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { PagingError, ServerError } from "./errors.js";
import { listPromise, type RawPage } from "./pages.js";

interface Item {
  readonly id: string;
}

const label = { call: "things.list", method: "GET", path: "/things" } as const;
const page = (ids: readonly string[], paging: Record<string, unknown>): RawPage<Item> => ({
  items: ids.map((id) => ({ id })),
  paging,
  meta: {},
  status: 200,
  headers: {},
});

/** A service with a list, paged as the specification documents. */
function service(ids: string[], size: number) {
  const cursors: (string | undefined)[] = [];
  const fetch = async (cursor: string | undefined) => {
    cursors.push(cursor);
    const from = cursor === undefined ? 0 : ids.indexOf(cursor) + 1;
    const found = ids.slice(from, from + size);
    const more = from + size < ids.length;
    return page(found, { has_more: more, next_cursor: more ? found.at(-1) : null, total_count: ids.length });
  };
  return { cursors, fetch };
}

describe("a list", () => {
  it("resolves with its first page in one request", async () => {
    const { fetch, cursors } = service(["a", "b", "c"], 2);
    const first = await listPromise(fetch, label);
    expect(first).toEqual({
      items: [{ id: "a" }, { id: "b" }],
      hasMore: true,
      nextCursor: "b",
      totalCount: 3,
      meta: { hasMore: true, nextCursor: "b", totalCount: 3 },
    });
    expect(cursors).toEqual([undefined]);
  });

  it("iterates every item once and in order, without extra requests", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ minLength: 1 })),
        fc.integer({ min: 1, max: 7 }),
        async (ids, size) => {
          const { fetch, cursors } = service(ids, size);
          const seen: string[] = [];
          for await (const { id } of listPromise(fetch, label)) seen.push(id);
          expect(seen).toEqual(ids);
          expect(cursors).toHaveLength(Math.max(1, Math.ceil(ids.length / size)));
        },
      ),
    );
  });

  it("returns every item once for concurrent calls of next", async () => {
    const { fetch } = service(["a", "b", "c", "d", "e"], 2);
    const iterator = listPromise(fetch, label)[Symbol.asyncIterator]();
    const results = await Promise.all(Array.from({ length: 7 }, () => iterator.next()));
    expect(results.map((result) => (result.done ? undefined : result.value.id))).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
      undefined,
      undefined,
    ]);
  });

  it("requests no page that is not needed", async () => {
    const { fetch, cursors } = service(["a", "b", "c", "d"], 2);
    for await (const _ of listPromise(fetch, label)) break;
    expect(cursors).toHaveLength(1);
    expect(await listPromise(fetch, label).toArray({ limit: 2 })).toEqual([{ id: "a" }, { id: "b" }]);
    expect(cursors).toHaveLength(2);
    expect(await listPromise(fetch, label).toArray({ limit: 0 })).toEqual([]);
  });

  it("prefetches the next page from the second page on", async () => {
    const { fetch, cursors } = service(["a", "b", "c", "d", "e", "f", "g", "h"], 2);
    const known: number[] = [];
    for await (const _ of listPromise(fetch, label)) known.push(cursors.length);
    expect(known).toEqual([1, 1, 3, 3, 4, 4, 4, 4]);
    await listPromise(fetch, label).toArray({ limit: 3 });
    expect(cursors).toHaveLength(4 + 2);
  });

  it("yields the items of a page before the failure of a prefetched page", async () => {
    const pages = [
      page(["a"], { has_more: true, next_cursor: "1" }),
      page(["b"], { has_more: true, next_cursor: "2" }),
    ];
    const seen: string[] = [];
    const iterate = async () => {
      const all = listPromise(async () => {
        const found = pages.shift();
        if (found === undefined) throw new ServerError({ message: "500", outcome: "ambiguous", status: 500 });
        return found;
      }, label);
      for await (const { id } of all) {
        seen.push(id);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await errorOf(iterate(), ServerError);
    expect(seen).toEqual(["a", "b"]);
  });

  it("yields no item twice when items shift between pages", async () => {
    const pages = [
      page(["a", "b"], { has_more: true, next_cursor: "1" }),
      page(["b", "c"], { has_more: true, next_cursor: "2" }),
      page(["a", "d"], { has_more: false }),
    ];
    const all = await listPromise(async () => pages.shift() ?? page([], {}), label).toArray();
    expect(all.map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
  });

  it("continues after an empty page that announces more", async () => {
    const pages = [page([], { has_more: true, next_cursor: "1" }), page(["a"], { has_more: false })];
    expect(await listPromise(async () => pages.shift() ?? page([], {}), label).toArray()).toEqual([
      { id: "a" },
    ]);
  });

  it("continues after the last id when the service returns no cursor", async () => {
    const cursors: (string | undefined)[] = [];
    const pages = [page(["a", "b"], { has_more: true }), page(["c"], { has_more: false })];
    const fetch = async (cursor: string | undefined) => {
      cursors.push(cursor);
      return pages.shift() ?? page([], {});
    };
    expect(await listPromise(fetch, label).toArray()).toHaveLength(3);
    expect(cursors).toEqual([undefined, "b"]);
  });

  it.each([
    ["a cursor that is repeated", () => page(["a"], { has_more: true, next_cursor: "same" })],
    ["nothing but empty pages", (call: number) => page([], { has_more: true, next_cursor: String(call) })],
    ["more without a way to it", () => page([], { has_more: true })],
  ])("fails instead of looping or ending early: %s", async (_, response) => {
    let calls = 0;
    const fetch = async () => {
      calls += 1;
      return response(calls);
    };
    await errorOf(listPromise(fetch, label).toArray(), PagingError);
    expect(calls).toBeLessThanOrEqual(21);
  });

  it("fails at a later page after yielding the items before it", async () => {
    const seen: string[] = [];
    const failing = listPromise(async (cursor) => {
      if (cursor !== undefined) throw new ServerError({ message: "500", outcome: "ambiguous", status: 500 });
      return page(["a"], { has_more: true, next_cursor: "x" });
    }, label);
    const iterate = async () => {
      for await (const { id } of failing) seen.push(id);
    };
    await errorOf(iterate(), ServerError);
    expect(seen).toEqual(["a"]);
  });

  it("has one page without paging", async () => {
    expect(await listPromise(async () => page(["a"], {}), label)).toMatchObject({ hasMore: false });
  });
});
