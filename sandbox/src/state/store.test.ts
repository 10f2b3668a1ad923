import { expect, test } from "vitest";
import type { Rows } from "./rows.js";
import { linkAddress, Store } from "./store.js";

function link(seq: number, slug = `slug${seq}`): Rows["links"] {
  return {
    id: `link_${seq}`,
    tenant: "a",
    seq,
    destination_url: "https://example.com",
    domain: "short.test",
    slug,
    clicks_count: 0,
    created_at: "2030-01-01T00:00:00.000Z",
  };
}

test("a transaction that throws leaves nothing behind, not even in an index", () => {
  const store = new Store();
  store.write("a", (transaction) => transaction.put("links", link(1, "kept")));
  const failing = () =>
    store.write("a", (transaction) => {
      transaction.put("links", link(1, "changed"));
      transaction.put("links", link(2));
      transaction.remove("links", "link_1");
      throw new Error("no");
    });
  expect(failing).toThrow("no");
  expect([...store.tables.links.all()]).toEqual([link(1, "kept")]);
  expect(store.tables.links.find("address", linkAddress("a", "short.test", "kept"))).toHaveLength(1);
  expect(store.tables.links.find("address", linkAddress("a", "short.test", "changed"))).toEqual([]);
});

test("an earlier state is the state before the last commits, and leaves the present alone", () => {
  const store = new Store();
  store.write("a", (transaction) => transaction.put("links", link(1, "one")));
  store.write("a", (transaction) => transaction.put("links", link(1, "two")));
  store.write("a", (transaction) => transaction.remove("links", "link_1"));
  expect(store.before("a", 1).links.get("link_1")?.slug).toBe("two");
  expect(store.before("a", 2).links.get("link_1")?.slug).toBe("one");
  expect(store.before("a", 3).links.get("link_1")).toBeUndefined();
  expect(store.tables.links.get("link_1")).toBeUndefined();
});

test("commits are reported once, in order", () => {
  const store = new Store();
  const reported: unknown[] = [];
  store.onCommit = (changes) => reported.push(...changes);
  store.write("a", (transaction) => {
    transaction.put("links", link(1));
    transaction.remove("links", "link_1");
  });
  store.write("a", () => "nothing");
  expect(reported).toEqual([
    { table: "links", id: "link_1", row: link(1) },
    { table: "links", id: "link_1" },
  ]);
});

test("a write that cannot be stored is undone, and the next one succeeds", () => {
  const store = new Store();
  store.onCommit = () => {
    throw new RangeError("Invalid string length");
  };
  const put = () => store.write("a", (transaction) => transaction.put("links", link(1)));
  expect(put).toThrow(RangeError);
  expect([...store.tables.links.all()]).toEqual([]);
  store.onCommit = () => {};
  put();
  expect(store.before("a", 1).links.get("link_1")).toBeUndefined();
  expect(store.tables.links.get("link_1")).toEqual(link(1));
});

test("appointments of deleted and moved rows do not pile up, and those of others stay", () => {
  const store = new Store();
  const due = (seq: number, dueAt: number): Rows["links"] => ({ ...link(seq), dueAt });
  store.write("a", (transaction) => transaction.put("links", due(1, 5)));
  for (let n = 2; n < 20_000; n++) {
    store.write("a", (transaction) => transaction.put("links", due(n, 1_000 + n)));
    store.write("a", (transaction) => transaction.put("links", due(2, n)));
    if (n > 2) store.write("a", (transaction) => transaction.remove("links", `link_${n}`));
    expect(() =>
      store.write("a", (transaction) => {
        transaction.put("links", due(1, 9_999));
        throw new Error("undone");
      }),
    ).toThrow();
  }
  expect(store.agenda.size).toBeLessThan(3_000);
  expect(store.agenda.next()).toEqual({ at: 5, what: { table: "links", id: "link_1" } });
  const times: number[] = [];
  for (let next = store.agenda.take(); next; next = store.agenda.take())
    if (next.what.id === "link_2") times.push(next.at);
  expect(times).toContain(19_999);
});
