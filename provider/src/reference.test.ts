import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { fieldsOf, type Input, type Kind } from "./kernel/definition/kind.js";
import { backupSchedule } from "./resources/backup-schedule.js";
import { database } from "./resources/database.js";
import { inbox } from "./resources/inbox.js";
import { link } from "./resources/link.js";
import { vpsAction } from "./resources/vps-action.js";
import { vpsInstance } from "./resources/vps-instance.js";
import { webhook } from "./resources/webhook.js";

/*
 * docs/resources.md is made here, from the definitions and their comments, and this test fails when it is out of
 * date: `npx vitest run provider/src/reference.test.ts -u` writes it anew.
 */

interface Described {
  readonly name: string;
  readonly doc: string;
  readonly type: string;
}

/** The members of an interface with their comments: what an editor shows on hover. */
function membersOf(file: string, name: string): Described[] {
  const path = fileURLToPath(new URL(`./resources/${file}.ts`, import.meta.url));
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const found: Described[] = [];
  source.forEachChild((node) => {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== name) return;
    for (const member of node.members) {
      if (!ts.isPropertySignature(member) || !ts.isIdentifier(member.name)) continue;
      const doc = ts
        .getJSDocCommentsAndTags(member)
        .map((comment) => (ts.isJSDoc(comment) ? ts.getTextOfJSDocComment(comment.comment) : ""));
      const type = (member.type?.getText() ?? "")
        .replace(" | undefined", "")
        .replace(/ \| \(string & \{\}\)/g, "");
      found.push({ name: member.name.text, doc: doc.join(" ").replace(/\s+/g, " "), type });
    }
  });
  return found;
}

/** The comment of an exported class, up to its example. */
function classDoc(file: string, name: string): string {
  const path = fileURLToPath(new URL(`./resources/${file}.ts`, import.meta.url));
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  let doc = "";
  source.forEachChild((node) => {
    if (!ts.isClassDeclaration(node) || node.name?.text !== name) return;
    const [comment] = ts.getJSDocCommentsAndTags(node);
    if (comment && ts.isJSDoc(comment)) {
      const example = comment.tags?.map((tag) => ts.getTextOfJSDocComment(tag.comment)).join("\n") ?? "";
      doc = `${ts.getTextOfJSDocComment(comment.comment)}\n\n${example}`;
    }
  });
  return doc.trim();
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

function sectionOf<I extends object, R extends object>(kind: Kind<I, R>, file: string): string {
  const inputs = membersOf(file, `${kind.name}Inputs`);
  const outputs = membersOf(file, `${kind.name}Outputs`);
  const rows = fieldsOf(kind).map(([field, input]) => {
    const described = inputs.find(({ name }) => name === field);
    expect(described?.doc, `${kind.name}.${field} has a comment`).toBeTruthy();
    const fallback =
      input.default === undefined
        ? kind.naming?.field === field
          ? "derived"
          : ""
        : `\`${JSON.stringify(input.default)}\``;
    const drift = input.from ? "seen" : input.onChange === "record" ? "" : "not seen";
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
  const results = Object.entries(kind.outputs).map(([name, output]) => {
    const described = outputs.find((member) => member.name === name);
    return `| \`${name}\`${output.secret ? " 🔒" : ""} | \`${escaped(described?.type ?? "")}\` | ${escaped(described?.doc ?? "")} |`;
  });
  const docs = inputs.map(({ name, doc }) => `- \`${name}\`: ${doc}`);
  const minutes = (time: number) => `${time / 60_000} min`;
  return [
    `## ${kind.name}`,
    classDoc(file, kind.name),
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
  const sections = [
    sectionOf(link, "link"),
    sectionOf(database, "database"),
    sectionOf(backupSchedule, "backup-schedule"),
    sectionOf(vpsInstance, "vps-instance"),
    sectionOf(inbox, "inbox"),
    sectionOf(webhook, "webhook"),
    sectionOf(vpsAction, "vps-action"),
  ];
  await expect(`${[introduction, ...sections].join("\n\n")}\n`).toMatchFileSnapshot(
    "../../docs/resources.md",
  );
});
