import { describe, expect, it } from "vitest";
import type { Fix } from "../../evidence/phase.js";
import { declared, diagnostic, entry, foundBy, live, urnOf } from "../testing.js";

const fields = {
  destination_url: "https://example.com/docs",
  domain: "short.example",
  slug: "abc",
  passcode: "open-sesame",
  expires_at: "2030-01-01T00:00:00.000Z",
  created_at: "2027-01-01T00:00:00.000Z",
};
const outputs = {
  url: "https://example.com/docs",
  domain: "short.example",
  slug: "abc",
  passcode: { $secret: "open-sesame" },
  expiresAt: "2030-01-01T01:00:00+01:00",
  createdAt: "2027-01-01T00:00:00Z",
  shortUrl: "https://short.example/abc",
};
const link = live("Link", "link_1", fields);
const preview = (state: object, service = link) =>
  ({
    name: "preview",
    command: "preview",
    live: [service],
    state: [entry("Link", "docs", "link_1", { ...outputs, ...state })],
  }) as const;
const judged = (phase: ReturnType<typeof preview>, inputs = {}) =>
  foundBy("agreement", { program: [declared("Link", "docs", inputs)], phases: [{}, phase] });

describe("agreement", () => {
  it("accepts a stand-in for an id that the service did not return only after a warning", () => {
    const id = `unnamed:${urnOf("Webhook", "hook")}`;
    const phase = { name: "preview", command: "preview", state: [entry("Webhook", "hook", id)] } as const;
    const warning = diagnostic("the service did not return its id", urnOf("Webhook", "hook"));
    expect(foundBy("agreement", { phases: [{ printed: [warning] }, phase] })).toEqual([]);
    expect(foundBy("agreement", { phases: [{}, phase] })).toEqual([
      `Webhook ${id} is in the state and not at the service`,
    ]);
  });

  it("accepts equivalent spellings", () => {
    expect(judged(preview({}))).toEqual([]);
    expect(judged(preview({ url: "https://EXAMPLE.com/docs", domain: "Short.Example" }))).toEqual([]);
  });

  it.each([
    ["url", { url: "https://example.com/other" }],
    ["passcode", { passcode: { $secret: "********" } }],
    ["expiresAt", { expiresAt: "2030-01-01T02:00:00+01:00" }],
  ])("finds that the state has another %s", (field, state) => {
    expect(judged(preview(state))).toEqual([
      `Link link_1 does not agree with the service: ${field} of the state`,
    ]);
  });

  it("finds a field that the state lacks", () => {
    const found = judged(preview({ createdAt: undefined }));
    expect(found[0]).toContain("the state has no createdAt, which the service shows");
  });

  it("finds an input that the service does not have", () => {
    const secret = { $secret: "open-sesame" };
    expect(judged(preview({}), { url: "https://example.com/docs", passcode: secret })).toEqual([]);
    expect(judged(preview({}), { url: "https://example.com/new" })[0]).toContain("url of the program");
  });

  it("accepts a field that an adoption warns about", () => {
    const warning = {
      kind: "warning",
      urn: urnOf("Link", "docs"),
      text: "Link was adopted. The service does not show its title, so it is unverified.",
    } as const;
    const phase = { ...preview({}), printed: [warning] };
    const judgedWith = (inputs: object) =>
      foundBy("agreement", { program: [declared("Link", "docs", { ...inputs })], phases: [phase] });
    expect(judgedWith({ title: "Docs" })).toEqual([]);
    expect(judgedWith({ utmSource: "mail" })).toHaveLength(1);
  });

  it("accepts the value of the last response if a fault corrupted it", () => {
    const response = { status: "success", data: { id: "link_1", slug: "%zz" } };
    const get = { method: "GET", target: "/x", sent: { status: 200, headers: {}, body: response } };
    const phase = preview({ slug: "%zz", shortUrl: "https://short.example/%zz" });
    const judgedWith = (struck: number[]) => {
      const fault = { name: "field-hostile:slug", class: "field", span: "once", phase: 0 } as const;
      const faults = [{ ...fault, when: "instead", struck } as const];
      return foundBy("agreement", { faults, phases: [{ exchanges: [get] }, phase] });
    };
    expect(judgedWith([0])).toEqual([]);
    expect(judgedWith([])).toHaveLength(1);
  });

  it("accepts a corrupted value that the user copied from a message into the program", () => {
    const response = { status: "success", data: { id: "link_1", title: "Cut" } };
    const get = { method: "GET", target: "/x", sent: { status: 200, headers: {}, body: response } };
    const fault = { name: "normalised-clamped", class: "normalised", span: "always", phase: 0 } as const;
    const faults = [{ ...fault, when: "instead", struck: [0] } as const];
    const urn = urnOf("Link", "docs");
    const judgedWith = (typed: readonly Fix[]) =>
      foundBy("agreement", {
        faults,
        program: [declared("Link", "docs", { title: "Cut" })],
        phases: [{ exchanges: [get] }, { ...preview({ title: "Cut" }), typed }],
      });
    expect(judgedWith([{ do: "input", urn, input: "title", value: "Cut" }])).toEqual([]);
    expect(judgedWith([])).toHaveLength(1);
  });

  it("resolves references to other resources", () => {
    const database = entry("Database", "orders", "db_1");
    const nightly = entry("BackupSchedule", "nightly", "db_1", { databaseId: "db_1" });
    const program = (name: string) => [
      declared("Database", "orders"),
      declared("BackupSchedule", "nightly", { databaseId: { $ref: name, output: "id" } }),
    ];
    const schedule = live("BackupSchedule", "sched_1", { database_id: "db_1" });
    const ready = live("Database", "db_1", { status: "ready" });
    const last = {
      name: "preview",
      command: "preview",
      live: [schedule, ready],
      state: [{ ...database, outputs: { status: "ready" } }, nightly],
    } as const;
    expect(foundBy("agreement", { program: program("orders"), phases: [last] })).toEqual([]);
    const wrong = { ...last, state: [{ ...database, id: "db_2" }, nightly] };
    expect(foundBy("agreement", { program: program("orders"), phases: [wrong] })).toHaveLength(2);
  });

  it("finds a resource that exists only in the state, and an unfinished one", () => {
    expect(judged({ ...preview({}), live: [live("Link", "link_2", fields)] })).toEqual([
      "Link link_1 is in the state and not at the service",
    ]);
    const state = [entry("Link", "docs", "link_1", outputs, { initErrors: ["stuck"] })];
    expect(foundBy("agreement", { phases: [{ ...preview({}), state }] })[0]).toContain("unfinished");
  });

  it("compares the password with the one in the connection URI", () => {
    const credentials = { database: "orders", username: "u", password: "p%w" };
    const database = live("Database", "db_1", { status: "ready", credentials });
    const phase = (connectionUri: string) =>
      ({
        name: "preview",
        command: "preview",
        live: [database],
        state: [
          entry("Database", "orders", "db_1", {
            status: "ready",
            database: "orders",
            username: "u",
            password: { $secret: "p%w" },
            connectionUri: { $secret: connectionUri },
          }),
        ],
      }) as const;
    expect(foundBy("agreement", { phases: [phase("postgresql://u:p%25w@db/orders")] })).toEqual([]);
    expect(foundBy("agreement", { phases: [phase("postgresql://u:********@db/orders")] })).toHaveLength(1);
  });
});
