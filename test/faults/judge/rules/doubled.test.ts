import { describe, expect, it } from "vitest";
import { created, declared, diagnostic, entry, foundBy, live } from "../testing.js";

const orders = declared("Database", "orders", { name: "orders" });
const post = {
  method: "POST",
  target: "/databases",
  requestBody: { name: "orders" },
  service: created("db_1"),
} as const;
const unheard = { ...post, sent: undefined };
const alive = [live("Database", "db_1", { status: "ready" })];
const known = [entry("Database", "orders", "db_1")];

describe("doubled", () => {
  const again = { ...post, service: created("db_2") } as const;
  const both = [live("Database", "db_1"), live("Database", "db_2")];

  it("finds a second of the same name while the first is alive", () => {
    const phase = { exchanges: [unheard, again], live: both, state: [entry("Database", "orders", "db_2")] };
    expect(foundBy("doubled", { program: [orders], phases: [phase] })).toEqual([
      "Database db_2 was created while db_1 of the same name was alive",
    ]);
  });

  it("accepts a replacement of a resource in the state, and a second after the first was deleted", () => {
    const before = { name: "prefix", exchanges: [post], live: alive, state: known } as const;
    const replaces = { exchanges: [again], live: both, state: [entry("Database", "orders", "db_2")] };
    expect(foundBy("doubled", { program: [orders], phases: [before, replaces] })).toEqual([]);
    const remove = { method: "DELETE", target: "/databases/db_1" } as const;
    expect(foundBy("doubled", { phases: [{ exchanges: [post, remove, again] }] })).toEqual([]);
  });

  it("finds more resources at the end than the program declares", () => {
    const renamed = { ...again, requestBody: { name: "orders-2" } } as const;
    const preview = {
      name: "preview",
      command: "preview",
      live: both,
      state: [entry("Database", "orders", "db_2")],
    } as const;
    const given = { program: [orders], phases: [{ exchanges: [post, renamed], live: both }, preview] };
    expect(foundBy("doubled", given)).toEqual([
      "2 of kind Database are alive where the program declares 1: db_1, db_2",
    ]);
    const left = { ...preview, printed: [diagnostic("db_1 was left at the service")] };
    expect(foundBy("doubled", { ...given, phases: [{ exchanges: [post, renamed] }, left] })).toEqual([]);
  });

  it("accepts a second inbox if a message says that the first expires", () => {
    const inbox = { method: "POST", target: "/tempmail/inboxes", requestBody: { prefix: "signup" } } as const;
    const made = (id: string) => ({
      status: 201,
      committed: true,
      body: { status: "success", data: { inbox_id: id } },
    });
    const exchanges = [
      { ...inbox, service: made("inbox_1"), sent: undefined },
      { ...inbox, service: made("inbox_2") },
    ];
    const phase = { exchanges, live: [live("Inbox", "inbox_1"), live("Inbox", "inbox_2")] };
    expect(foundBy("doubled", { phases: [phase] })).toHaveLength(1);
    const printed = [diagnostic("what the first created expires by itself")];
    expect(foundBy("doubled", { phases: [{ ...phase, printed }] })).toEqual([]);
  });
});
