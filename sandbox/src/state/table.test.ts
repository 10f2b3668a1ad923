import fc from "fast-check";
import { expect, test } from "vitest";
import { Table } from "./table.js";

const row = (seq: number, tenant = "a") => ({
  id: `${tenant}${seq}`,
  tenant,
  seq,
  colour: seq % 2 ? "red" : "blue",
});
const make = () => new Table<ReturnType<typeof row>, "colour">({ colour: (each) => each.colour });

test("pages run from the oldest to the newest, whatever the order of putting", () => {
  const table = make();
  for (const seq of [3, 1, 2]) table.set(`a${seq}`, row(seq));
  expect(table.page("a", 0, 2)).toEqual({ rows: [row(1), row(2)], hasMore: true });
  expect(table.page("a", 2, 2)).toEqual({ rows: [row(3)], hasMore: false });
});

test("a tenant owns only its own rows", () => {
  const table = make();
  table.set("b1", row(1, "b"));
  expect(table.owned("a", "b1")).toBeUndefined();
  expect(table.owned("b", "b1")).toEqual(row(1, "b"));
});

test("an index returns some row of a key, or none", () => {
  const table = make();
  expect(table.some("colour", "red")).toBeUndefined();
  for (const seq of [1, 2, 3]) table.set(`a${seq}`, row(seq));
  expect(table.some("colour", "red")).toMatchObject({ colour: "red" });
  for (const seq of [1, 3]) table.set(`a${seq}`, undefined);
  expect(table.some("colour", "red")).toBeUndefined();
});

test("an index forgets rows that are changed or removed", () => {
  const table = make();
  table.set("a1", row(1));
  table.set("a1", { ...row(1), colour: "green" });
  expect(table.find("colour", "red")).toEqual([]);
  expect(table.find("colour", "green")).toHaveLength(1);
  table.set("a1", undefined);
  expect(table.find("colour", "green")).toEqual([]);
});

test("paging equals a sorted list after any sequence of puts and removals", () => {
  const steps = fc.array(fc.record({ seq: fc.integer({ min: 1, max: 200 }), isPut: fc.boolean() }), {
    maxLength: 500,
  });
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 0, max: 200 }),
      fc.integer({ min: 1, max: 50 }),
      (changes, after, limit) => {
        const table = make();
        const model = new Map<number, ReturnType<typeof row>>();
        for (const { seq, isPut } of changes) {
          table.set(`a${seq}`, isPut ? row(seq) : undefined);
          if (isPut) model.set(seq, row(seq));
          else model.delete(seq);
        }
        const expected = [...model.values()].filter(({ seq }) => seq > after).sort((a, b) => a.seq - b.seq);
        expect(table.page("a", after, limit)).toEqual({
          rows: expected.slice(0, limit),
          hasMore: expected.length > limit,
        });
        expect(table.count("a")).toBe(model.size);
      },
    ),
  );
});
