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

/** A service with a list of its own, in the way the specification documents. */
function service(ids: string[], size: number) {
  const asked: (string | undefined)[] = [];
  const fetch = async (cursor: string | undefined) => {
    asked.push(cursor);
    const from = cursor === undefined ? 0 : ids.indexOf(cursor) + 1;
    const found = ids.slice(from, from + size);
    const more = from + size < ids.length;
    return page(found, { has_more: more, next_cursor: more ? found.at(-1) : null, total_count: ids.length });
  };
  return { asked, fetch };
}

describe("a list", () => {
  it("that is awaited is its first page, in one request", async () => {
    const { fetch, asked } = service(["a", "b", "c"], 2);
    const first = await listPromise(fetch, label);
    expect(first).toEqual({
      items: [{ id: "a" }, { id: "b" }],
      hasMore: true,
      nextCursor: "b",
      totalCount: 3,
      meta: { hasMore: true, nextCursor: "b", totalCount: 3 },
    });
    expect(asked).toEqual([undefined]);
  });

  it("that is iterated gives every item once, in order, with no request too many", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ minLength: 1 })),
        fc.integer({ min: 1, max: 7 }),
        async (ids, size) => {
          const { fetch, asked } = service(ids, size);
          const seen: string[] = [];
          for await (const { id } of listPromise(fetch, label)) seen.push(id);
          expect(seen).toEqual(ids);
          expect(asked).toHaveLength(Math.max(1, Math.ceil(ids.length / size)));
        },
      ),
    );
  });

  it("gives every item once to who asks for many at a time", async () => {
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

  it("asks for no page that nobody wants", async () => {
    const { fetch, asked } = service(["a", "b", "c", "d"], 2);
    for await (const _ of listPromise(fetch, label)) break;
    expect(asked).toHaveLength(1);
    expect(await listPromise(fetch, label).toArray({ limit: 2 })).toEqual([{ id: "a" }, { id: "b" }]);
    expect(asked).toHaveLength(2);
    expect(await listPromise(fetch, label).toArray({ limit: 0 })).toEqual([]);
  });

  it("has the next page on its way while one is worked on, from the second page on", async () => {
    const { fetch, asked } = service(["a", "b", "c", "d", "e", "f", "g", "h"], 2);
    const known: number[] = [];
    for await (const _ of listPromise(fetch, label)) known.push(asked.length);
    expect(known).toEqual([1, 1, 3, 3, 4, 4, 4, 4]);
    await listPromise(fetch, label).toArray({ limit: 3 });
    expect(asked).toHaveLength(4 + 2);
  });

  it("gives the items of a page before the failure of the next, which was on its way already", async () => {
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

  it("gives no item twice when items shift from page to page", async () => {
    const pages = [
      page(["a", "b"], { has_more: true, next_cursor: "1" }),
      page(["b", "c"], { has_more: true, next_cursor: "2" }),
      page(["a", "d"], { has_more: false }),
    ];
    const all = await listPromise(async () => pages.shift() ?? page([], {}), label).toArray();
    expect(all.map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
  });

  it("goes on over an empty page that announces more", async () => {
    const pages = [page([], { has_more: true, next_cursor: "1" }), page(["a"], { has_more: false })];
    expect(await listPromise(async () => pages.shift() ?? page([], {}), label).toArray()).toEqual([
      { id: "a" },
    ]);
  });

  it("goes on after the last id where the service gives no cursor", async () => {
    const asked: (string | undefined)[] = [];
    const pages = [page(["a", "b"], { has_more: true }), page(["c"], { has_more: false })];
    const fetch = async (cursor: string | undefined) => {
      asked.push(cursor);
      return pages.shift() ?? page([], {});
    };
    expect(await listPromise(fetch, label).toArray()).toHaveLength(3);
    expect(asked).toEqual([undefined, "b"]);
  });

  it.each([
    ["a cursor that is repeated", () => page(["a"], { has_more: true, next_cursor: "same" })],
    ["nothing but empty pages", (call: number) => page([], { has_more: true, next_cursor: String(call) })],
    ["more without a way to it", () => page([], { has_more: true })],
  ])("fails rather than going round in circles or ending early: %s", async (_, response) => {
    let calls = 0;
    const fetch = async () => {
      calls += 1;
      return response(calls);
    };
    await errorOf(listPromise(fetch, label).toArray(), PagingError);
    expect(calls).toBeLessThanOrEqual(21);
  });

  it("whose later page fails, fails there, after the items before it", async () => {
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

  it("without any paging has one page", async () => {
    expect(await listPromise(async () => page(["a"], {}), label)).toMatchObject({ hasMore: false });
  });
});
