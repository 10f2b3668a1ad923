// @module-tag slow

import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

/*
 * What an editor suggests and reports in a user's program, through the compiler's language service.
 */

const file = fileURLToPath(new URL("./program.ts", import.meta.url));
const options = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  types: ["node"],
};

/** Shared, so that the declarations that all programs use are parsed once. */
const documents = ts.createDocumentRegistry();

/** Starts the language service on a program; a bar in its text marks the cursor. */
function editorOn(program: string) {
  const source = `import * as cloud from "./index.js";\n${program}`;
  const cursor = source.indexOf("|");
  const text = source.replace("|", "");
  const host: ts.LanguageServiceHost = {
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? text : "1"),
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => process.cwd(),
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
  };
  const service = ts.createLanguageService(host, documents);
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
    ["the versions of an engine", `new cloud.Database("d", { ${database}, version: "|" });`, ["15", "16"]],
    [
      "plans of databases",
      'new cloud.Database("d", { engine: "postgresql", version: "16", region: "r", plan: "|" });',
      ["db-starter-1", "db-standard-2"],
    ],
    [
      "plans of servers",
      'new cloud.VpsInstance("v", { region: "r", image: "debian-12", plan: "|" });',
      ["vps-micro-1"],
    ],
    [
      "images",
      'new cloud.VpsInstance("v", { region: "r", plan: "vps-micro-1", image: "|" });',
      ["debian-12", "alpine-3.20"],
    ],
    [
      "events",
      'new cloud.Webhook("w", { url: "https://a.test", secret: "s", events: ["|"] });',
      ["database.backup.completed", "vps.snapshot.completed"],
    ],
    ["actions", 'new cloud.VpsAction("a", { instanceId: "i", action: "|" });', ["reboot", "create_snapshot"]],
  ])("%s", (_what, program, offered) => {
    expect(editorOn(program).offers()).toEqual(expect.arrayContaining(offered));
  });
});

describe("the editor reports", () => {
  it.each([
    ["a missing input", `new cloud.Database("d", { ${database} });`, "version"],
    ["inputs left out", 'new cloud.Database("d");', "Expected 2-3 arguments, but got 1"],
    ["a misspelt one", 'new cloud.Link("l", { ulr: "https://a.test" });', "'ulr' does not exist"],
    ["a wrong type", `new cloud.Database("d", { ${database}, version: 16 });`, "number"],
    ["what is not an action", 'new cloud.VpsAction("a", { instanceId: "i", action: "stop" });', "stop"],
    [
      "a power state that there is not",
      'new cloud.VpsInstance("v", { plan: "p", region: "r", image: "i", powerState: "off" });',
      "off",
    ],
    ["the use of what may not be there", 'new cloud.Link("l", { url: "u" }).slug.length;', "length"],
  ])("%s", (_what, program, complaint) => {
    expect(editorOn(program).complaints().join("\n")).toContain(complaint);
  });

  it("nothing for other engines, unlisted values and outputs of other resources", () => {
    const program = `
      declare const engine: string;
      const orders = new cloud.Database("d", { engine, version: "8.4", plan: "db-huge-64", region: "r" });
      new cloud.Database("e", { engine: orders.engine, version: orders.version, plan: orders.plan, region: "r" });
      new cloud.Database("f", { engine: "mysql", version: "8.4", plan: "db-starter-1", region: "r" });
      new cloud.Inbox("i");
      new cloud.Inbox("j", undefined, { protect: true });
      cloud.Inbox.get("k", "inbox_1");
      cloud.Database.get("g", orders.id).backupSchedule;
      new cloud.BackupSchedule("b", { databaseId: orders.id, frequency: "weekly", hourUtc: 3, retentionDays: 7 });`;
    expect(editorOn(program).complaints()).toEqual([]);
  });
});

it("the editor shows an input's rule on hover", () => {
  expect(editorOn('new cloud.Inbox("i", { ttl|Minutes: 5 });').hover()).toContain("1 to 1440. Default: 60");
});

it.each([
  ["a required input", 'new cloud.Link("l", { u|rl: "https://a.test" });', "absolute URL", "Input<string>"],
  [
    "an optional input",
    'new cloud.Link("l", { url: "u", sl|ug: "s" });',
    "path of the short URL",
    "slug?: Input<string>",
  ],
  [
    "a closed list",
    'new cloud.VpsAction("a", { instanceId: "i", act|ion: "reboot" });',
    "The action",
    'Input<"rebuild">',
  ],
  ["an output", 'new cloud.Link("l", { url: "u" }).clicks|Count;', "number of visits", "<number>"],
  [
    "an output that may be missing",
    'cloud.Database.get("d", "i").storage|Gb;',
    "storage",
    "<number | undefined>",
  ],
])("the comment and the type of %s reach the editor from the definition", (_what, program, comment, type) => {
  expect(editorOn(program).hover()).toContain(comment);
  expect(editorOn(program).signature()).toContain(type);
});

it("the editor shows the inputs of a declaration on hover", () => {
  expect(editorOn('new cloud.In|box("i");').signature()).toBe(
    "constructor Inbox(name: string, args?: cloud.InboxArgs, opts?: cloud.ResourceOptions): cloud.Inbox",
  );
  expect(editorOn('new cloud.Inb|ox("i");').hover()).toContain("Declares an inbox");
});
