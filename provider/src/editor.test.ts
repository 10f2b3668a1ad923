// @module-tag slow

import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

/*
 * What an editor suggests and reports in a user's program, through the compiler's language service.
 */

const options = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  types: ["node"],
};

/** The programs of all tests by file. One compiler knows them all, because it takes seconds to read what they import. */
const programs = new Map<string, string>();

const textOf = (file: string): string | undefined => programs.get(file) ?? ts.sys.readFile(file);
const service = ts.createLanguageService({
  getScriptFileNames: () => [...programs.keys()],
  getScriptVersion: () => "1",
  getScriptSnapshot: (file) => {
    const text = textOf(file);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => process.cwd(),
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (file) => programs.has(file) || ts.sys.fileExists(file),
  readFile: textOf,
  directoryExists: ts.sys.directoryExists,
});

/** Opens a program, before the first test runs; a bar in its text marks the cursor. */
function editorOn(program: string) {
  const source = `import * as cloud from "./index.js";\n${program}`;
  const cursor = source.indexOf("|");
  const file = fileURLToPath(new URL(`./program-${programs.size}.ts`, import.meta.url));
  programs.set(file, source.replace("|", ""));
  return {
    offers: () => service.getCompletionsAtPosition(file, cursor, {})?.entries.map(({ name }) => name) ?? [],
    complaints: () =>
      service
        .getSemanticDiagnostics(file)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
    signature: () =>
      ts.displayPartsToString(service.getQuickInfoAtPosition(file, cursor)?.displayParts).split("\n")[0],
    hover: () =>
      ts
        .displayPartsToString(service.getQuickInfoAtPosition(file, cursor)?.documentation)
        .replace(/\s+/g, " "),
  };
}

const database = 'engine: "postgresql", plan: "db-starter-1", region: "eu-central-1"';

describe("the editor offers what the specification lists", () => {
  it.each([
    [
      "the versions of an engine",
      editorOn(`new cloud.Database("d", { ${database}, version: "|" });`),
      ["15", "16"],
    ],
    [
      "plans of databases",
      editorOn('new cloud.Database("d", { engine: "postgresql", version: "16", region: "r", plan: "|" });'),
      ["db-starter-1", "db-standard-2"],
    ],
    [
      "plans of servers",
      editorOn('new cloud.VpsInstance("v", { region: "r", image: "debian-12", plan: "|" });'),
      ["vps-micro-1"],
    ],
    [
      "images",
      editorOn('new cloud.VpsInstance("v", { region: "r", plan: "vps-micro-1", image: "|" });'),
      ["debian-12", "alpine-3.20"],
    ],
    [
      "events",
      editorOn('new cloud.Webhook("w", { url: "https://a.test", secret: "s", events: ["|"] });'),
      ["database.backup.completed", "vps.snapshot.completed"],
    ],
    [
      "actions",
      editorOn('new cloud.VpsAction("a", { instanceId: "i", action: "|" });'),
      ["reboot", "create_snapshot"],
    ],
  ])("%s", (_what, editor, offered) => {
    expect(editor.offers()).toEqual(expect.arrayContaining(offered));
  });
});

describe("the editor reports", () => {
  it.each([
    ["a missing input", editorOn(`new cloud.Database("d", { ${database} });`), "version"],
    ["inputs left out", editorOn('new cloud.Database("d");'), "Expected 2-3 arguments, but got 1"],
    ["a misspelt one", editorOn('new cloud.Link("l", { ulr: "https://a.test" });'), "'ulr' does not exist"],
    ["a wrong type", editorOn(`new cloud.Database("d", { ${database}, version: 16 });`), "number"],
    [
      "what is not an action",
      editorOn('new cloud.VpsAction("a", { instanceId: "i", action: "stop" });'),
      "stop",
    ],
    [
      "a power state that there is not",
      editorOn('new cloud.VpsInstance("v", { plan: "p", region: "r", image: "i", powerState: "off" });'),
      "off",
    ],
    [
      "the use of what may not be there",
      editorOn('new cloud.Link("l", { url: "u" }).slug.length;'),
      "length",
    ],
  ])("%s", (_what, editor, complaint) => {
    expect(editor.complaints().join("\n")).toContain(complaint);
  });

  const valid = editorOn(`
    declare const engine: string;
    const orders = new cloud.Database("d", { engine, version: "8.4", plan: "db-huge-64", region: "r" });
    new cloud.Database("e", { engine: orders.engine, version: orders.version, plan: orders.plan, region: "r" });
    new cloud.Database("f", { engine: "mysql", version: "8.4", plan: "db-starter-1", region: "r" });
    new cloud.Inbox("i");
    new cloud.Inbox("j", undefined, { protect: true });
    cloud.Inbox.get("k", "inbox_1");
    cloud.Database.get("g", orders.id).backupSchedule;
    new cloud.BackupSchedule("b", { databaseId: orders.id, frequency: "weekly", hourUtc: 3, retentionDays: 7 });`);

  it("nothing for other engines, unlisted values and outputs of other resources", () => {
    expect(valid.complaints()).toEqual([]);
  });
});

const input = editorOn('new cloud.Inbox("i", { ttl|Minutes: 5 });');
it("the editor shows an input's rule on hover", () => {
  expect(input.hover()).toContain("1 to 1440. Default: 60");
});

it.each([
  [
    "a required input",
    editorOn('new cloud.Link("l", { u|rl: "https://a.test" });'),
    "absolute URL",
    "Input<string>",
  ],
  [
    "an optional input",
    editorOn('new cloud.Link("l", { url: "u", sl|ug: "s" });'),
    "path of the short URL",
    "slug?: Input<string>",
  ],
  [
    "a closed list",
    editorOn('new cloud.VpsAction("a", { instanceId: "i", act|ion: "reboot" });'),
    "The action",
    'Input<"rebuild">',
  ],
  ["an output", editorOn('new cloud.Link("l", { url: "u" }).clicks|Count;'), "number of visits", "<number>"],
  [
    "an output that may be missing",
    editorOn('cloud.Database.get("d", "i").storage|Gb;'),
    "storage",
    "<number | undefined>",
  ],
])("the comment and the type of %s reach the editor from the definition", (_what, editor, comment, type) => {
  expect(editor.hover()).toContain(comment);
  expect(editor.signature()).toContain(type);
});

const declaration = editorOn('new cloud.In|box("i");');
it("the editor shows the inputs of a declaration on hover", () => {
  expect(declaration.signature()).toBe(
    "constructor Inbox(name: string, args?: cloud.InboxArgs, opts?: cloud.ResourceOptions): cloud.Inbox",
  );
  expect(declaration.hover()).toContain("Declares an inbox");
});
