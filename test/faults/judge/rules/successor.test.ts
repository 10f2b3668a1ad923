import { describe, expect, it } from "vitest";
import { created, declared, entry, foundBy, live } from "../testing.js";

const program = [declared("Database", "orders", { region: "eu" })];
const before = { name: "prefix", state: [entry("Database", "orders", "db_1")] } as const;
const post = {
  method: "POST",
  target: "/databases",
  service: created("db_2", { status: "provisioning" }),
} as const;
const look = (status: string) =>
  ({
    method: "GET",
    target: "/databases/db_2",
    service: { ...created("db_2", { status }), committed: false },
  }) as const;
const remove = { method: "DELETE", target: "/databases/db_1" } as const;
const after = {
  live: [live("Database", "db_2", { status: "ready" })],
  state: [entry("Database", "orders", "db_2")],
};

describe("successor", () => {
  it("accepts a deletion after the successor was seen ready", () => {
    const phase = { ...after, exchanges: [post, look("ready"), remove] };
    expect(foundBy("successor", { program, phases: [before, phase] })).toEqual([]);
  });

  it("finds a deletion before the successor is there, or ready", () => {
    const text = "Database db_1 was deleted before a successor was ready";
    const early = { ...after, exchanges: [remove, post, look("ready")] };
    expect(foundBy("successor", { program, phases: [before, early] })).toEqual([text]);
    const unready = { ...after, exchanges: [post, look("provisioning"), remove] };
    expect(foundBy("successor", { program, phases: [before, unready] })).toEqual([text]);
  });

  it("accepts what the program gives up, or wants deleted first", () => {
    const phase = { exchanges: [remove] };
    expect(foundBy("successor", { program: [], phases: [before, phase] })).toEqual([]);
    const first = [declared("Database", "orders", {}, { deleteBeforeReplace: true })];
    expect(foundBy("successor", { program: first, phases: [before, phase] })).toEqual([]);
  });

  it("finds that a failed replacement leaves neither", () => {
    const webhook = { name: "prefix", state: [entry("Webhook", "hook", "wh_1")] } as const;
    const declaring = [declared("Webhook", "hook")];
    const gone = { exchanges: [{ method: "DELETE", target: "/webhooks/wh_1" }], outcome: "failed" } as const;
    expect(foundBy("successor", { program: declaring, phases: [webhook, gone] })).toEqual([
      "Webhook wh_1 was deleted, and there is no successor",
    ]);
  });

  it("accepts that a link which keeps its slug is deleted first", () => {
    const link = { name: "prefix", state: [entry("Link", "docs", "link_1")] } as const;
    const keeping = [declared("Link", "docs", { slug: "docs" })];
    const gone = {
      exchanges: [{ method: "DELETE", target: "/shortener/links/link_1" }],
      outcome: "failed",
    } as const;
    expect(foundBy("successor", { program: keeping, phases: [link, gone] })).toEqual([]);
    expect(foundBy("successor", { program: [declared("Link", "docs")], phases: [link, gone] })).toHaveLength(
      1,
    );
  });
});
