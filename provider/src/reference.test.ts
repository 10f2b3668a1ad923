// @module-tag slow

import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import type { Input, Kind } from "./kernel/definition/kind.js";
import { fieldsOf } from "./kernel/definition/kind-values.js";
import { ofEachKind } from "./resources/index.js";

/*
 * Generates docs/resources.md from the definitions and their comments, and fails if the file is out of date:
 * `npx vitest run provider/src/reference.test.ts -u` rewrites it.
 */

interface Described {
  readonly name: string;
  readonly doc: string;
  readonly type: string;
}

const folder = fileURLToPath(new URL("./resources/", import.meta.url));
const fileOf = (kind: string) => kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

const classes = fileURLToPath(new URL("./classes/dynamic.ts", import.meta.url));

const program = ts.createProgram([classes], {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  noEmit: true,
  skipLibCheck: true,
  types: ["node"],
});
const checker = program.getTypeChecker();

/** Returns the symbol that a file exports. */
function symbolIn(file: string, name: string): ts.Symbol {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find((found) => found.name === name);
  if (!symbol) throw new Error(`${file} exports no ${name}.`);
  return symbol;
}

/** Returns a type without what every optional field has. Any text is valid where values are only suggested. */
function typeText(type: ts.Type): string {
  const text = checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  return text.includes("(string & {})")
    ? text.endsWith("[]")
      ? "string[]"
      : "string"
    : text.replace(" | undefined", "");
}

/** Returns the members of an interface with their comments, which an editor shows on hover. */
const membersOf = (kind: string, name: string): Described[] =>
  checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbolIn(`${folder}${fileOf(kind)}.ts`, name)))
    .map((member) => ({
      name: member.name,
      doc: ts.displayPartsToString(member.getDocumentationComment(checker)).replace(/\s+/g, " "),
      type: typeText(checker.getTypeOfSymbol(member)),
    }));

/** Returns the comment of a class with its example. */
function classDoc(kind: string): string {
  const symbol = symbolIn(classes, kind);
  const examples = symbol.getJsDocTags(checker).map(({ text }) => ts.displayPartsToString(text));
  return [ts.displayPartsToString(symbol.getDocumentationComment(checker)), ...examples].join("\n\n").trim();
}

const escaped = (text: string) => text.replaceAll("|", "\\|");

function ruleOf(input: Input<unknown, never>): string {
  const refusal = input.schema.safeParse(Symbol("nothing that any rule accepts"));
  const rule = refusal.success ? "" : (refusal.error.issues[0]?.message ?? "");
  return [
    rule.replace(/^must be /, ""),
    input.allowedValues ? `listed: ${input.allowedValues.map((value) => `\`${value}\``).join(", ")}` : "",
  ]
    .filter(Boolean)
    .join("; ");
}

function changeOf(input: Input<unknown, never>): string {
  const words = { update: "in place", replace: "replaces", record: "noted" }[input.onChange];
  const how = input.onChange !== "update" ? "" : input.documentedChange ? " (documented)" : " (assumed)";
  return words + how + (input.replaceIf ? ", or replaces" : "");
}

function sectionOf<I extends object, R extends object>(kind: Kind<I, R>): string {
  const { name } = kind;
  const inputs = membersOf(name, `${name}Inputs`);
  const outputs = membersOf(name, `${name}Outputs`);
  const rows = fieldsOf(kind).map(([field, input]) => {
    const described = inputs.find(({ name }) => name === field);
    expect(described?.doc, `${kind.name}.${field} has a comment`).toBeTruthy();
    const fallback =
      input.default === undefined
        ? kind.naming?.field === field
          ? "derived"
          : ""
        : `\`${JSON.stringify(input.default)}\``;
    const drift = input.from ? "detected" : input.onChange === "record" ? "" : "not detected";
    const cells = [
      `\`${field}\`${input.optional ? "" : " **!**"}${input.secret ? " 🔒" : ""}`,
      `\`${escaped(described?.type ?? "")}\``,
      fallback,
      escaped(ruleOf(input)),
      changeOf(input),
      drift,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const results = Object.entries(kind.outputs).map(([field, output]) => {
    const described = outputs.find((member) => member.name === field);
    return `| \`${field}\`${output.secret ? " 🔒" : ""} | \`${escaped(described?.type ?? "")}\` | ${escaped(described?.doc ?? "")} |`;
  });
  const docs = fieldsOf(kind).map(
    ([field]) => `- \`${field}\`: ${inputs.find((member) => member.name === field)?.doc}`,
  );
  const minutes = (time: number) => `${time / 60_000} min`;
  return [
    `## ${kind.name}`,
    classDoc(name),
    "| Input | Type | Default | Rule | A change is | Drift is |\n|---|---|---|---|---|---|\n" +
      rows.join("\n"),
    docs.join("\n"),
    ...(results.length > 0 ? [`| Output | Type | |\n|---|---|---|\n${results.join("\n")}`] : []),
    `Default timeouts, which \`customTimeouts\` overrides: create ${minutes(kind.timeouts.create)}, update ${minutes(kind.timeouts.update)}, delete ${minutes(kind.timeouts.delete)}.`,
  ].join("\n\n");
}

const introduction = `# Resources

Generated from the definitions in \`provider/src/resources/\`. **!** required, 🔒 secret. *In place* keeps the resource,
*replaces* creates a new one, *noted* changes the state and sends no request. *Assumed* changes use requests that the
specification does not show ([api-coverage.md](api-coverage.md)); \`cloudservices:api: documented\` rejects them. Drift
of a field that the service does not return cannot be detected.

Every kind except BackupSchedule and VpsAction also takes \`adopt\`: the id of an existing resource to manage instead of
creating one. Inputs that only a new resource can change must match what the service returns; the others are changed in
place. Inputs that the service does not return are unverified, and a warning names those for which correcting a wrong
value replaces the resource. Use \`protect: true\`, or correct the value with \`pulumi state delete\` and adopt again. The
option \`import\` does the same, and rejects a resource that differs from the program in any returned field.

A derived default comes from the resource's URN and is the same in every run: the resource's name with a short hash, for
a link the hash alone.

The provider sees the options \`customTimeouts\`, \`replaceOnChanges\` and \`retainOnDelete\` only on the resource itself:
the engine does not pass on what a transform or a retaining parent adds. A transform can set \`customTimeouts\` as an
input.`;

it("docs/resources.md matches the definitions", async () => {
  const sections = Object.values(ofEachKind(sectionOf));
  await expect(`${[introduction, ...sections].join("\n\n")}\n`).toMatchFileSnapshot(
    "../../docs/resources.md",
  );
});
