import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentIds } from "./recent-ids.js";

/** Returns for each id of each page whether it is new. */
function news(pages: readonly (readonly string[])[]): boolean[][] {
  const recent = new RecentIds();
  return pages.map((page) => {
    recent.startPage();
    return page.map((id) => recent.isNew(id));
  });
}

/** The same with a plain set of the pages since the last but one multiple of four. */
function expected(pages: readonly (readonly string[])[]): boolean[][] {
  const kept: { readonly page: number; readonly id: string }[] = [];
  return pages.map((ids, page) => {
    const first = Math.floor(page / 4) * 4 - 4;
    return ids.map((id) => {
      const isNew = !kept.some((one) => one.page >= first && one.id === id);
      if (isNew) kept.push({ page, id });
      return isNew;
    });
  });
}

const id = fc.oneof(fc.string(), fc.integer({ min: 0, max: 40 }).map(String));
const anyPages = fc.array(fc.array(id, { maxLength: 6 }), { maxLength: 20 });

/** Pages of sorted ids. A few ids then move to other places. */
const almostSorted = fc
  .record({
    count: fc.integer({ min: 0, max: 80 }),
    size: fc.integer({ min: 1, max: 7 }),
    descends: fc.boolean(),
    moves: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 3 }),
  })
  .map(({ count, size, descends, moves }) => {
    const ids = Array.from({ length: count }, (_, at) => `link_${String(at).padStart(3, "0")}`);
    if (descends) ids.reverse();
    for (const [from, to] of moves) ids.splice(to % (count + 1), 0, ids[from % (count || 1)] ?? "first");
    return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) =>
      ids.slice(at * size, (at + 1) * size),
    );
  });

describe("an id", () => {
  it.each([
    ["any order", anyPages],
    ["an order with a few repeats", almostSorted],
  ])("is new unless one of the last pages had it, in %s", (_, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (pages) => {
        expect(news(pages)).toEqual(expected(pages));
      }),
    );
  });

  it.each([
    ["ascending", ["a", "b", "c", "d"]],
    ["descending", ["d", "c", "b", "a"]],
    ["in no order", ["b", "d", "a", "c"]],
  ])("is recognised on the fifth page, when the ids are %s", (_, ids) => {
    const pages = [...ids.map((one) => [one]), [...ids]];
    expect(news(pages)).toEqual([[true], [true], [true], [true], [false, false, false, false]]);
  });

  it("that follows itself is not new", () => {
    expect(news([["a", "a", "b"]])).toEqual([[true, false, true]]);
  });
});
