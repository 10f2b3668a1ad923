import { expect, it } from "vitest";
import { type Expectation, exitOf, summaryOf } from "./command.js";
import { markdown } from "./markdown.js";
import { previewOf } from "./preview.js";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const urnOf = (type: string, name: string) => `urn:pulumi:dev::test::${type}::${name}`;
const urn = (kind: string, name: string) => urnOf(`pulumi-nodejs:dynamic/cloudservices:${kind}`, name);

const db = { plan: "db-starter-1", region: "eu" };

type Inputs = Readonly<Record<string, unknown>>;
const step = (
  op: string,
  kind: string,
  name: string,
  before?: Inputs,
  after?: Inputs,
  rest: object = {},
) => ({
  op,
  urn: urn(kind, name),
  ...(before && { oldState: { inputs: { __urn: "x", ...before } } }),
  ...(after && { newState: { inputs: { __urn: "y", ...after } } }),
  ...rest,
});
/** A step about a database in the state. */
const stored = (op: string, id: string, state: object = {}) => ({
  op,
  urn: urn("Database", "a"),
  oldState: { id, inputs: db, ...state },
  ...(op !== "delete-replaced" && { newState: { id, inputs: db } }),
});
const failure = (message: string, about?: string) => ({
  severity: "error",
  message,
  ...(about && { urn: about }),
});

/** Reads a preview as the engine prints it. */
const read = (
  steps: readonly object[],
  diagnostics: readonly object[] = [],
  failed = false,
  stack?: string,
) => summaryOf(previewOf(JSON.stringify({ steps, diagnostics })), failed, stack);
const actionsOf = (...steps: readonly object[]) => read(steps).changes.map(({ action }) => action);
const expectation: Expectation = { previewExit: "0", noChanges: false, reviewed: undefined };
const text = (...steps: readonly object[]) => markdown(read(steps));

it("distinguishes what happens to a resource", () => {
  expect(actionsOf(step("create", "Database", "a", undefined, db))).toEqual(["create"]);
  // The refresh of a resource that the service has deleted is followed by its creation.
  expect(
    actionsOf(step("refresh", "Database", "a", db, db), step("create", "Database", "a", undefined, db)),
  ).toEqual(["recreate"]);
  expect(actionsOf(step("create", "Database", "a", undefined, { ...db, adopt: "db_1" }))).toEqual(["adopt"]);
  expect(actionsOf(step("import", "Database", "a", undefined, db))).toEqual(["adopt"]);
  expect(actionsOf(step("delete", "Database", "a", db))).toEqual(["delete"]);
  const retained = {
    op: "delete",
    urn: urn("Database", "a"),
    oldState: { inputs: db, retainOnDelete: true },
  };
  expect(actionsOf(retained)).toEqual(["forget"]);
  expect(actionsOf(step("replace", "Database", "a", db, db))).toEqual(["replace"]);
  expect(actionsOf(step("shuffle", "Database", "a", db, db))).toEqual(["other"]);
});

it("knows its kinds in both forms, below parents and with any name", () => {
  for (const type of [
    "cloudservices:index:Database",
    "app:index:Shop$pulumi-nodejs:dynamic/cloudservices:Database",
  ])
    expect(text({ op: "delete", urn: urnOf(type, "a::b"), oldState: { inputs: db } })).toContain(
      "| Database `a::b` | **deleted with its data** |",
    );
});

it("leaves out what changes nothing, and halves of replacements", () => {
  const silent = ["same", "refresh", "read"];
  expect(actionsOf(...silent.map((op) => step(op, "Database", op, db, db)))).toEqual([]);
  const halves = ["create-replacement", "replace", "delete-replaced"];
  expect(actionsOf(...halves.map((op) => stored(op, "db_1")))).toEqual(["replace"]);
  expect(actionsOf(...halves.map((op) => step(op, "Database", "a", db, db)))).toEqual(["replace"]);
  const providers = { op: "create", urn: urnOf("pulumi:providers:pulumi-nodejs", "default") };
  expect(actionsOf(providers, { op: "update", urn: urnOf("pulumi:pulumi:Stack", "test-dev") })).toEqual([]);
  expect(text()).toContain("No changes.");
});

it("shows a deletion that an interrupted replacement has left", () => {
  // The state has the new database and the old one, which is marked for deletion.
  const pending = [stored("refresh", "db_1", { delete: true }), stored("refresh", "db_2")];
  const left = [...pending, stored("same", "db_2"), stored("delete-replaced", "db_1", { delete: true })];
  const summary = read(left);
  expect(summary.changes.map(({ action }) => action)).toEqual(["delete"]);
  expect(markdown(summary)).toContain("**1 deleted**");
  expect(markdown(summary)).toContain(
    "| Database `a` | **deleted with its data** (left by an interrupted replacement) |",
  );
  expect(summary.planId).not.toBe(read(pending).planId);
  expect(exitOf(summary, { ...expectation, noChanges: true }).code).toBe(7);
  expect(exitOf(summary, { ...expectation, reviewed: read([]).planId }).code).toBe(10);

  // The new one is replaced again: two databases are deleted.
  const again = ["create-replacement", "replace", "delete-replaced"].map((op) => stored(op, "db_2"));
  expect(actionsOf(...left, ...again)).toEqual(["delete", "replace"]);
  expect(actionsOf(stored("delete-replaced", "db_1", { retainOnDelete: true }))).toEqual(["forget"]);
  // The engine creates the half of a replacement that is missing.
  expect(actionsOf(stored("create-replacement", "db_1"))).toEqual(["create"]);
  // The values of the old one are no drift of the new one.
  const [old, now] = [{ url: "https://a.test/" }, { url: "https://b.test/" }];
  const drift = text(
    stored("refresh", "lnk_2", { inputs: now }),
    stored("refresh", "lnk_1", { inputs: old, delete: true }),
    step("update", "Database", "a", now, { url: "https://c.test/" }, { diffReasons: ["url"] }),
  );
  expect(drift).not.toContain("drift");
});

it("finds drift by what the refresh has changed", () => {
  const [applied, drifted] = [
    { url: "https://a.test/", title: "A" },
    { url: "https://b.test/", title: "A" },
  ];
  const refresh = step("refresh", "Link", "home", applied, applied);
  const back = text(refresh, step("update", "Link", "home", drifted, applied, { diffReasons: ["url"] }));
  expect(back).toContain("1 with drift.");
  expect(back).toContain("### Drift");
  expect(back).toContain('`url`: `"https://b.test/"` → `"https://a.test/"` (drift) |');
  const both = { ...applied, title: "B" };
  const mixed = text(
    refresh,
    step("update", "Link", "home", drifted, both, { diffReasons: ["url", "title"] }),
  );
  expect(mixed).toContain("1 with drift, 1 changed.");
  expect(mixed).toContain(
    '`title`: `"A"` → `"B"`<br>`url`: `"https://b.test/"` → `"https://a.test/"` (drift) |',
  );
});

it("names fields of nested differences once, and says when an earlier run is finished", () => {
  const nested = { detailedDiff: { "events[0]": {}, "events[1]": {} } };
  expect(text(step("update", "Webhook", "w", { events: ["a"] }, { events: ["b"] }, nested))).toContain(
    '| Webhook `w` | changed in place | `events`: `["a"]` → `["b"]` |',
  );
  expect(text(step("update", "Database", "d", db, db))).toContain("| an earlier run is finished |");
});

it("shows no secret, not even one that nothing marks", () => {
  const reasons = { diffReasons: ["passcode", "url"] };
  const link = (secret: string) => ({ passcode: secret, url: `https://user:${secret}@a.test/` });
  const foreign = {
    op: "update",
    urn: urnOf("random:index/randomPassword:RandomPassword", "p"),
    oldState: { inputs: { seed: "hunter2" } },
    newState: { inputs: { seed: "hunter3" } },
    diffReasons: ["seed"],
  };
  const said = text(step("update", "Link", "home", link("hunter1"), link("hunter4"), reasons), foreign);
  expect(said).not.toContain("hunter");
  expect(said).toContain('`passcode`<br>`url`: `"https://[secret]@a.test/"` → `"https://[secret]@a.test/"`');
  expect(said).toContain("| `random:index/randomPassword:RandomPassword` `p` | changed in place | `seed` |");
});

it("shows no values in the query of an address, and no password in it", () => {
  const url = (value: string) => ({
    url: `https://bot:${value}@a.test/x?token=${value}&${value}&n=${value}#access_token=${value}`,
  });
  const said = text(step("update", "Link", "home", url("hunter1"), url("hunter2"), { diffReasons: ["url"] }));
  expect(said).not.toContain("hunter");
  expect(said).toContain("https://[secret]@a.test/x?token=[secret]&[secret]&n=[secret]#access_token=[secr…");
  const token = "hunter3".repeat(1_000);
  for (const address of [`https://${token}@a.test/`, `https://a:it's@${token}@b.test/?x=${token}`]) {
    const fields = text(step("update", "Link", "home", { url: address }, {}, { diffReasons: ["url"] }));
    expect(fields).not.toContain("hunter");
    expect(fields).toContain("https://[secret]@");
  }
  expect(
    text(step("update", "Link", "home", { title: "what? a=b" }, {}, { diffReasons: ["title"] })),
  ).toContain('"what? a=b"');
});

it("has a first line for each stack, also when the preview has failed early", () => {
  const first = (stack?: string, steps: readonly object[] = []) =>
    markdown(read(steps, [], true, stack)).split("\n", 1)[0];
  const names = ["dev", "dev1", "dev-1", "dev.1", "shop/dev-1", "dev-->"];
  expect(new Set(names.map((name) => first(name))).size).toBe(names.length);
  for (const name of names) expect(first(name)).toMatch(/^<!-- pulumi-cloudservices summary: [\w.%]+ -->$/);
  expect(first("org/shop/dev", [stored("same", "db_1")])).toBe(first("org/shop/dev"));
  expect(first(undefined, [stored("same", "db_1")])).toBe(first("dev"));
});

it("shows messages of this package only: a program may throw a password", () => {
  const thrown = failure("error: Running program failed with an unhandled exception:\nError: boom hunter2\n");
  const wrong = failure(
    "error: pulumi-nodejs:dynamic/cloudservices:Link resource 'home' has a problem: no such input [INPUT_UNKNOWN]\n  if it is misspelt: title",
    urn("Link", "home"),
  );
  const generic = failure("error: preview failed\n");
  const summary = read([], [wrong, thrown, generic], true);
  expect(markdown(summary)).toContain(
    "- Link `home`: `no such input` `INPUT_UNKNOWN`\n- see the log of the job\n",
  );
  expect(markdown(summary)).not.toContain("hunter2");
  expect(exitOf(summary, expectation)).toEqual({ code: 4 });
  expect(exitOf(read([], [wrong, generic], true), expectation)).toEqual({ code: 2 });
  expect(exitOf(read([], [thrown], true), { ...expectation, previewExit: "255" })).toEqual({ code: 1 });
  // A newer engine's code for a violated policy.
  expect(exitOf(read([], [], true), { ...expectation, previewExit: "5" })).toEqual({ code: 5 });
  expect(markdown(read([], [], true))).toContain("**The preview failed**; the log of the job says why.");
});

it("does not interpret names and values as Markdown", () => {
  const title = "a|b <img src=x> @team\n| x |\u202e";
  const said = text(
    step("update", "Link", "``|@team\n# x", { title: "" }, { title }, { diffReasons: ["title"] }),
  );
  expect(said).toContain("| Link ``` ``\\|@team # x ``` | changed in place |");
  expect(said).toContain('`title`: `""` → `"a\\|b <img src=x> @team\\n\\| x \\| "` |');
  expect(said).not.toContain("\u202e");
});

it("adds up what has a price and names what has none", () => {
  const vps = (plan: string) => ({ plan, image: "debian-12" });
  const said = text(
    step("replace", "VpsInstance", "a", vps("vps-micro-1"), vps("vps-standard-2")),
    step("delete", "VpsInstance", "b", vps("vps-standard-4")),
    step(
      "update",
      "VpsInstance",
      "c",
      { ...vps("vps-micro-1"), name: "x" },
      { ...vps("vps-micro-1"), name: "y" },
    ),
    step("create", "VpsInstance", "d", undefined, vps("vps-new-32")),
    step("create", "VpsInstance", "e", undefined, vps(UNKNOWN)),
    step("create", "VpsInstance", "f", undefined, { ...vps("vps-micro-1"), adopt: "vps_1" }),
    step("create", "Database", "g", undefined, db),
  );
  expect(said).toContain("Cost: **−19.00 USD a month**, 3 without a listed price.");
  expect(said).toContain("| VpsInstance `b` | `vps-standard-4` → *none* | −30.00 USD |");
  expect(said).toContain("| VpsInstance `d` | *none* → `vps-new-32` | no listed price |");
  expect(said).toContain("| VpsInstance `e` | *none* → `unknown` | no listed price |");
  expect(said).not.toMatch(/`[cf]` \| .*USD/);
});

it("fits into a comment, with what is lost first", () => {
  const long = (name: string) => ({ url: `https://example.com/${"x".repeat(200)}${name}` });
  const steps = [
    ...Array.from({ length: 3_000 }, (_, at) =>
      step("update", "Link", `link-${at}`, long("a"), long("b"), { diffReasons: ["url"] }),
    ),
    step("delete", "Database", "orders", db),
  ];
  const short = markdown(read(steps), 60_000);
  expect(Buffer.byteLength(short)).toBeLessThan(60_000);
  expect(short).toContain("| Database `orders` | **deleted with its data** |");
  expect(short).toMatch(/…and \d+ more: see the log of the job\.\n/);
  expect(markdown(read(steps))).toContain("link-2999");
});

it("exits with a code for changes and for an unreviewed plan", () => {
  const change = (url: string) =>
    read([step("update", "Link", "a", { url: "x" }, { url }, { diffReasons: ["url"] })]);
  const { planId } = change("y");
  expect(planId).toBe(change("y").planId);
  expect(planId).not.toBe(change("z").planId);
  expect(exitOf(change("y"), { ...expectation, reviewed: planId }).code).toBe(0);
  expect(exitOf(change("z"), { ...expectation, reviewed: planId }).code).toBe(10);
  expect(exitOf(change("y"), { ...expectation, noChanges: true }).code).toBe(7);
  expect(exitOf(read([]), { ...expectation, noChanges: true }).code).toBe(0);
});

it("takes nothing but a preview", () => {
  for (const wrong of ["{}", "", "not JSON", '{"steps":[{}]}'])
    expect(() => previewOf(wrong)).toThrow("standard input");
  expect(previewOf('{"changeSummary": {}}')).toEqual({ steps: [], messages: [] });
});
