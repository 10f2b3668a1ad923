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
  it("accepts a deletion after the replacement was ready", () => {
    const phase = { ...after, exchanges: [post, look("ready"), remove] };
    expect(foundBy("successor", { program, phases: [before, phase] })).toEqual([]);
  });

  it("finds a deletion before the replacement exists or is ready", () => {
    const text = "Database db_1 was deleted before its replacement was ready";
    const early = { ...after, exchanges: [remove, post, look("ready")] };
    expect(foundBy("successor", { program, phases: [before, early] })).toEqual([text]);
    const unready = { ...after, exchanges: [post, look("provisioning"), remove] };
    expect(foundBy("successor", { program, phases: [before, unready] })).toEqual([text]);
  });

  it("accepts resources that the program removes or deletes before replacing", () => {
    const phase = { exchanges: [remove] };
    expect(foundBy("successor", { program: [], phases: [before, phase] })).toEqual([]);
    const first = [declared("Database", "orders", {}, { deleteBeforeReplace: true })];
    expect(foundBy("successor", { program: first, phases: [before, phase] })).toEqual([]);
  });

  it("finds a failed replacement that leaves neither", () => {
    const webhook = { name: "prefix", state: [entry("Webhook", "hook", "wh_1")] } as const;
    const declaring = [declared("Webhook", "hook")];
    const deletion = {
      exchanges: [{ method: "DELETE", target: "/webhooks/wh_1" }],
      outcome: "failed",
    } as const;
    expect(foundBy("successor", { program: declaring, phases: [webhook, deletion] })).toEqual([
      "Webhook wh_1 was deleted, and there is no replacement",
    ]);
  });

  it("accepts that a link with the same slug is deleted first", () => {
    const link = { name: "prefix", state: [entry("Link", "docs", "link_1")] } as const;
    const keeping = [declared("Link", "docs", { slug: "docs" })];
    const deletion = {
      exchanges: [{ method: "DELETE", target: "/shortener/links/link_1" }],
      outcome: "failed",
    } as const;
    expect(foundBy("successor", { program: keeping, phases: [link, deletion] })).toEqual([]);
    expect(
      foundBy("successor", { program: [declared("Link", "docs")], phases: [link, deletion] }),
    ).toHaveLength(1);
  });
});
