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

describe("lost", () => {
  it("finds a created resource that neither the state nor a message contains", () => {
    const phase = { exchanges: [unheard], live: alive, outcome: "failed" } as const;
    expect(foundBy("lost", { program: [orders], phases: [phase] })).toEqual([
      "Database db_1 was created and is alive; neither the state nor a message contains it",
    ]);
  });

  it("accepts a resource in the state, and one deleted again", () => {
    expect(foundBy("lost", { phases: [{ exchanges: [post], live: alive, state: known }] })).toEqual([]);
    expect(foundBy("lost", { phases: [{ exchanges: [post] }] })).toEqual([]);
  });

  it("accepts an error with the kind and name if the id was never received", () => {
    const printed = [diagnostic('Database "orders" may have been created', orders.urn)];
    const phase = { exchanges: [unheard], live: alive, outcome: "failed", printed } as const;
    expect(foundBy("lost", { program: [orders], phases: [phase] })).toEqual([]);
  });

  it("accepts no message if the response contained the id", () => {
    const printed = [diagnostic('Database "orders" (db_1) exists, but is not finished', orders.urn)];
    const phase = { exchanges: [post], live: alive, outcome: "failed", printed } as const;
    expect(foundBy("lost", { program: [orders], phases: [phase] })).toHaveLength(1);
    expect(foundBy("lost", { program: [orders], phases: [{ ...phase, state: known }] })).toEqual([]);
  });

  it("does not require an id from an unreadable response", () => {
    const printed = [diagnostic('Database "orders" may have been created', orders.urn)];
    for (const sent of [
      { status: 201, headers: {}, body: '{"data":{"id":"db_1"' },
      { status: 201, headers: {}, body: post.service.body, cut: true },
    ] as const) {
      const phase = { exchanges: [{ ...post, sent }], live: alive, outcome: "failed", printed } as const;
      expect(foundBy("lost", { program: [orders], phases: [phase] })).toEqual([]);
    }
  });

  it("requires an id that was received later", () => {
    const printed = [diagnostic('Database "orders" failed', orders.urn)];
    const list = { method: "GET", target: "/databases", service: { ...created("db_1"), committed: false } };
    const phase = { exchanges: [unheard, list], live: alive, outcome: "failed", printed } as const;
    expect(foundBy("lost", { program: [orders], phases: [phase] })).toHaveLength(1);
    const naming = [diagnostic('Database "orders" (db_1) failed', orders.urn)];
    expect(foundBy("lost", { program: [orders], phases: [{ ...phase, printed: naming }] })).toEqual([]);
  });

  it("allows a killed run until the preview", () => {
    const killed = { exchanges: [unheard], live: alive, outcome: "killed" } as const;
    const preview = { name: "preview", command: "preview", live: alive } as const;
    const named = { live: alive, outcome: "failed", printed: [diagnostic("exists as db_1")] } as const;
    expect(foundBy("lost", { phases: [killed, { live: alive }, preview] })).toHaveLength(1);
    expect(foundBy("lost", { phases: [killed, named, preview] })).toEqual([]);
  });

  it("accepts what a killed run created if the API cannot list it", () => {
    const killed = {
      exchanges: [unheard],
      live: alive,
      outcome: "killed",
      pending: [orders.urn],
    } as const;
    expect(foundBy("lost", { mode: "documented", phases: [killed] })).toEqual([]);
    expect(foundBy("lost", { mode: "documented", phases: [{ ...killed, pending: [] }] })).toHaveLength(1);
  });

  it("finds a live resource that left the state", () => {
    const before = { name: "prefix", live: alive, state: known } as const;
    const text = "Database db_1 was taken over by us and is alive, and phase 1 took it out of the state";
    expect(foundBy("lost", { phases: [before, { live: alive }] })[0]).toContain(text);
    const printed = [diagnostic("db_1 was left at the service")];
    expect(foundBy("lost", { phases: [before, { live: alive, printed }] })).toEqual([]);
  });

  it("accepts a lost inbox only if a message says that it expires", () => {
    const body = { status: "success", data: { inbox_id: "inbox_1" } };
    const inbox = { method: "POST", target: "/tempmail/inboxes", sent: undefined } as const;
    const exchanges = [{ ...inbox, service: { status: 201, committed: true, body } }];
    const phase = { exchanges, live: [live("Inbox", "inbox_1")] };
    expect(foundBy("lost", { phases: [phase] })).toHaveLength(1);
    const printed = [diagnostic("Inbox was sent again; what the first created expires by itself.")];
    expect(foundBy("lost", { phases: [{ ...phase, printed }] })).toEqual([]);
  });
});
