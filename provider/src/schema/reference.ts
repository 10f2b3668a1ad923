import ts from "typescript";
import type { Input, Kind } from "../kernel/definition/kind.js";
import { fieldsOf } from "../kernel/definition/kind-values.js";
import { timeoutsOf } from "../kernel/definition/timeouts.js";
import { ofEachKind } from "../resources/index.js";
import { token } from "./names.js";
import { fileOf, typeOf } from "./resources.js";
import { checker, docOf, exportOf } from "./source.js";

/*
 * The pages about resources: one about all kinds, and one about each. The text is that of the comments on the definitions
 * and on the classes.
 */

/** A page of the documentation, by its path below `docs/`. */
export interface ReferencePage {
  readonly path: string;
  readonly text: string;
}

interface Member {
  readonly doc: string;
  readonly type: string;
}

/** Returns a type without what every optional field has. Any text is valid where values are only suggested. */
function typeText(type: ts.Type): string {
  const text = checker
    .typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
    .replace(" | undefined", "");
  if (text.includes("(string & {})")) return text.endsWith("[]") ? "string[]" : "string";
  // A price or a size: which values there are says nothing about this one.
  return /^[\d.| ]+$/.test(text) ? "number" : text;
}

/** Returns the members of an interface of a kind, which an editor shows on hover. */
const membersOf = (kind: string, name: string): ReadonlyMap<string, Member> =>
  new Map(
    checker
      .getPropertiesOfType(typeOf(kind, name))
      .map((symbol) => [
        symbol.name,
        { doc: docOf(symbol).replaceAll("\n\n", " "), type: typeText(checker.getTypeOfSymbol(symbol)) },
      ]),
  );

/** Returns the texts of a tag of a class. */
const tagsOf = (kind: string, tag: string): readonly string[] =>
  exportOf("index.ts", kind)
    .getJsDocTags(checker)
    .filter(({ name }) => name === tag)
    .map(({ text }) => ts.displayPartsToString(text).trim());

const escaped = (text: string) => text.replaceAll("|", "\\|");

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escaped).join(" | ")} |`).join("\n");

/** Returns what a value must be, unless its type or its description says so. */
function ruleOf({ schema, allowedValues }: Input<unknown, never>, description: string): string {
  const refusal = schema.safeParse(Symbol("nothing that any rule accepts"));
  const rule = refusal.success ? "" : (refusal.error.issues[0]?.message ?? "").replace(/^must be /, "");
  const listed = allowedValues?.map((value) => `\`${value}\``).join(", ");
  const isType = /^(a string|true or false|a list of values|one of .*)$/.test(rule);
  const [range] = /\d+ to \d+/.exec(rule) ?? [];
  const isSaid = isType || rule === "" || (range !== undefined && description.includes(range));
  return `${isSaid ? "" : ` Must be ${rule}.`}${listed ? ` Listed: ${listed}.` : ""}`;
}

function changeOf({ onChange, documentedChange, replaceIf }: Input<unknown, never>): string {
  const how = documentedChange ? " (documented)" : " (assumed)";
  const words = { update: `in place${how}`, replace: "replaces", record: "noted" }[onChange];
  return words + (replaceIf ? ", or replaces" : "");
}

const driftOf = ({ from, onChange }: Input<unknown, never>) =>
  from ? "detected" : onChange === "record" ? "" : "not detected";

const name = (field: string, { secret }: { secret?: true }, mark = "") =>
  `\`${field}\`${mark}${secret ? " **secret**" : ""}`;

function inputsOf<I extends object, R extends object>(kind: Kind<I, R>): string {
  const members = membersOf(kind.name, `${kind.name}Inputs`);
  const rows = fieldsOf(kind).map(([field, input]) => {
    const member = members.get(field);
    if (!member?.doc) throw new Error(`${kind.name}.${field} has no comment.`);
    const mark = input.optional ? "" : " **!**";
    return [name(field, input, mark), `\`${member.type}\``, member.doc + ruleOf(input, member.doc)];
  });
  return table(["Input", "Type", "Description"], rows);
}

const changesOf = <I extends object, R extends object>(kind: Kind<I, R>) =>
  table(
    ["Input", "A change is", "Drift is"],
    fieldsOf(kind).map(([field, input]) => [`\`${field}\``, changeOf(input), driftOf(input)]),
  );

function outputsOf<I extends object, R extends object>(kind: Kind<I, R>): string {
  const members = membersOf(kind.name, `${kind.name}Outputs`);
  const rows = Object.entries(kind.outputs).map(([field, output]) => {
    const { type = "", doc = "" } = members.get(field) ?? {};
    return [name(field, output), `\`${type}\``, doc];
  });
  const also = "Every input is an output too, and so is `id`.";
  return rows.length === 0 ? also : `${table(["Output", "Type", "Description"], rows)}\n\n${also}`;
}

function timeoutsIn<I extends object, R extends object>({ timeouts }: Kind<I, R>): string {
  const limits = Object.entries(timeoutsOf({}, timeouts));
  const minutes = limits.map(([, limit]) => `${limit / 60_000} min`);
  return table(
    limits.map(([operation]) => operation),
    [minutes],
  );
}

/** Returns the statement of an example that declares the resource, with `adopt` as its first input. */
function adopting(kind: string, example: string): string {
  const statement = new RegExp(`new ${kind}\\([^;]*;`).exec(example)?.[0] ?? "";
  const adopted = statement.replace(/\{(\s+)/, (_, space: string) => `{${space}adopt: "<id>",${space}`);
  if (!adopted.includes("adopt")) throw new Error(`The example of ${kind} does not declare one.`);
  return `\`\`\`ts\n${adopted}\n\`\`\``;
}

const importing = (kind: string, example: string, id: string) => {
  const [, resource = ""] = new RegExp(`new ${kind}\\("(.*?)"`).exec(example) ?? [];
  return `\`\`\`sh\npulumi import ${token(kind)} ${resource} '${id}' --generate-code=false\n\`\`\``;
};

function existingOf<I extends object, R extends object>(kind: Kind<I, R>, example: string): string {
  if (kind.action) return "There is nothing to adopt or import: the service keeps no record of it.";
  if (kind.idFrom)
    return [
      "There is nothing to adopt: declaring it overwrites the existing one. With the [native plugin](../native.md#import),",
      `its state can be imported by the id in \`${kind.idFrom}\`:\n\n${importing(kind.name, example, `<${kind.idFrom}>`)}`,
    ].join("\n");
  return [
    "Give its id, and run `pulumi up`:",
    adopting(kind.name, example),
    "With the [native plugin](../native.md#import), also by a command:",
    importing(kind.name, example, "<id>"),
    "[Adopting and importing](../resources.md#adopting-and-importing) says what is compared and changed; " +
      "[Take over an account](../adopting.md) finds the ids.",
  ].join("\n\n");
}

function kindPage<I extends object, R extends object>(kind: Kind<I, R>): ReferencePage {
  const [example = ""] = tagsOf(kind.name, "example");
  const code = example.replace(/^```ts\n|\n```$/g, "");
  const page = [
    `# ${kind.name}`,
    docOf(exportOf("index.ts", kind.name)),
    ...tagsOf(kind.name, "remarks"),
    "## Example",
    example,
    "## Inputs",
    "**!** required.",
    inputsOf(kind),
    "## Outputs",
    outputsOf(kind),
    "## What a change does",
    "[Changes and drift](../resources.md#changes-and-drift) explains the words.",
    changesOf(kind),
    "## Import or adopt",
    existingOf(kind, code),
    "## Time limits",
    "[`customTimeouts`](../configuration.md#time-limits) overrides them.",
    timeoutsIn(kind),
  ];
  return { path: pathOf(kind.name), text: `${page.filter(Boolean).join("\n\n")}\n` };
}

const pathOf = (kind: string) => fileOf(kind).replace(/\.ts$/, ".md");

function rowOf<I extends object, R extends object>(kind: Kind<I, R>): readonly string[] {
  const [purpose = ""] = docOf(exportOf("index.ts", kind.name)).split(/(?<=\.) /);
  const replacing = fieldsOf(kind).filter(([, { onChange }]) => onChange === "replace");
  return [
    `[${kind.name}](${pathOf(kind.name)})`,
    purpose,
    replacing.map(([field]) => `\`${field}\``).join(", "),
  ];
}

const overview = () => `# Resources

The pages about resources are generated from the definitions in \`provider/src/resources/\`.

${table(["Kind", "Description", "Replaced by a change of"], Object.values(ofEachKind(rowOf)))}

## Changes and drift

| A change is | Meaning |
|---|---|
| in place | The resource stays, and the service is asked to change it. |
| replaces | A new resource is created, then the old one is deleted. |
| noted | Only the state changes; no request is sent. |
| documented, assumed | Whether the specification shows the request ([documented and assumed](api-coverage.md)). \`cloudservices:api: documented\` rejects assumed ones. |

Drift of a field that the service does not return cannot be detected.

## Adopting and importing

Every kind except BackupSchedule and VpsAction takes the input \`adopt\`: the id of an existing resource to manage instead
of creating one. Inputs that only a new resource can change must match what the service returns; the others are changed
in place. Inputs that the service does not return are unverified, and a warning names those for which correcting a wrong
value replaces the resource. Use \`protect: true\`, or correct the value with \`pulumi state delete\` and adopt again. The
option \`import\` does the same, and rejects a resource that differs from the program in any returned field.

## Derived names

A derived default comes from the resource's URN and is the same in every run: the resource's name with a short hash, for
a link the hash alone.

## Options

The provider sees the options \`customTimeouts\`, \`replaceOnChanges\` and \`retainOnDelete\` only on the resource itself:
the engine does not pass on what a transform or a retaining parent adds. A transform can set \`customTimeouts\` as an
input.
`;

/** Returns the pages about resources. */
export const referencePages = (): readonly ReferencePage[] => [
  { path: "resources.md", text: overview() },
  ...Object.values(ofEachKind(kindPage)),
];
