import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const file = `${root}test/sdk/program.ts`;
const source = `
  import { CloudServices } from "cloudservices-sdk";
  const client = new CloudServices();
  const link = await client.links.get("link_1");
  const database = await client.databases.waitUntilReady("db_1");
  const server = await client.vps.waitUntilReady("vps_1");
  for await (const listed of client.links.list()) console.log(listed.shortUrl);
  if (database.status === "") console.log(link.clicksCount, server.ipv4);
  await client.webhooks.create({ url: "https://example.com/hook", secret: "s", events: [""] });
  await client.vps.create({ name: "n", plan: "", region: "eu", image: "debian-12" });
`;

/** What an editor sees of the published declarations. */
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => "1",
  getScriptSnapshot: (path) => {
    const text = path === file ? source : ts.sys.readFile(path);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => root,
  getCompilationSettings: () => ({
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    skipLibCheck: true,
  }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (path) => path === file || ts.sys.fileExists(path),
  readFile: (path) => (path === file ? source : ts.sys.readFile(path)),
  directoryExists: ts.sys.directoryExists,
});

/** Returns what an editor shows for the last word of a text. */
function hover(text: string): { title: string; comment: string } {
  const at = source.indexOf(text) + text.length - 1;
  const info = service.getQuickInfoAtPosition(file, at);
  return {
    title: ts.displayPartsToString(info?.displayParts),
    comment: ts.displayPartsToString(info?.documentation),
  };
}

/** Returns what an editor offers within the first empty string after a text. */
function completions(text: string): string[] {
  const at = source.indexOf('""', source.indexOf(text)) + 1;
  return service.getCompletionsAtPosition(file, at, {})?.entries.map(({ name }) => name) ?? [];
}

describe("in an editor", () => {
  it("types have names", () => {
    expect(hover("const link").title).toBe("const link: Link");
    expect(hover("const database").title).toBe("const database: ReadyDatabase");
    expect(hover("const server").title).toBe("const server: ReadyVpsInstance");
    expect(hover("(const listed").title).toBe("const listed: ListedLink");
  });

  it.each([
    ["listed.shortUrl", /short URL/],
    ["link.clicksCount", /visits/],
    ["server.ipv4", /IPv4/],
    ["{ url", /https/],
    ["database.status", /ready/],
  ])("%s has a comment", (text, comment) => {
    expect(hover(text).comment).toMatch(comment);
  });

  it("known values are completed", () => {
    expect(completions("database.status ===")).toContain("ready");
    expect(completions("events: [")).toContain("database.backup.completed");
    expect(completions("plan: ")).toContain("vps-micro-1");
  });
});

describe("the published declarations", () => {
  const entry = `${root}sdk/dist/esm/index.d.ts`;
  const program = ts.createProgram([entry], { target: ts.ScriptTarget.ES2022, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry) ?? expect.fail("not built"));
  const isOwn = (symbol: ts.Symbol) =>
    !symbol.name.includes("#private") &&
    symbol.declarations?.every((declaration) => declaration.getSourceFile().fileName.includes("/sdk/dist/"));
  const isDocumented = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0;

  /** Returns a symbol with the members of its type, or of the instances of a class. */
  function withMembers(symbol: ts.Symbol): { name: string; symbol: ts.Symbol }[] {
    const types = symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias);
    const members = types
      ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).filter(isOwn)
      : [];
    return [
      { name: symbol.name, symbol },
      ...members.map((member) => ({ name: `${symbol.name}.${member.name}`, symbol: member })),
    ];
  }

  it("have a comment on every export and every member", () => {
    const exported = checker
      .getExportsOfModule(module ?? expect.fail("no module"))
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
    const all = exported.flatMap(withMembers);
    expect(all.length).toBeGreaterThan(300);
    expect(all.filter(({ symbol }) => !isDocumented(symbol)).map(({ name }) => name)).toEqual([]);
  });
});
