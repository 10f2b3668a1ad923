import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { accountOf } from "./account.js";
import { CommandError } from "./command-error.js";
import { type Form, importFileOf, type NamedResource, named, programOf, secretSetting } from "./program.js";
import { managedIn, openStack } from "./project.js";

/** What the command line passes to `adopt`. */
export interface AdoptOptions {
  readonly folder: string;
  readonly stack: string | undefined;
  readonly native: boolean;
  /** The program to write, relative to the folder. */
  readonly out: string;
  /** Write no file. */
  readonly list: boolean;
  readonly json: boolean;
  /** Values of inputs that the service does not return, as `Database.plan=db-starter-1`. */
  readonly set: readonly string[];
}

const IMPORT_FILE = "import.json";

/** Lists what no state of the project knows, and writes a program that takes it over. Changes nothing at the service. */
export async function adopt(options: AdoptOptions, print: (line: string) => void): Promise<number> {
  const { folder, native, list, json } = options;
  const form: Form = native ? "native" : "dynamic";
  const files = list ? [] : [options.out, ...(native ? [IMPORT_FILE] : [])];
  for (const file of files) requireAbsent(join(folder, file), file);
  const values = valuesIn(options.set);

  const { api, settings, stacks } = await openStack(folder, options.stack);
  const [managed, account] = await Promise.all([
    managedIn(folder, stacks),
    accountOf(api, settings.api === "documented"),
  ]);
  const isUnknown = ({ kind, id }: { kind: string; id: string }) => !managed.has(`${kind} ${id}`);
  const found = named(account.resources)
    .filter(isUnknown)
    .map((resource) => withValues(resource, values));
  if (!list && found.length > 0) {
    writeFileSync(join(folder, options.out), programOf(found, form), { flag: "wx" });
    if (native) writeFileSync(join(folder, IMPORT_FILE), importFileOf(found), { flag: "wx" });
  }

  if (json) {
    const resources = found.map(({ kind, id, name, unread }) => ({
      ...{ kind, id, name },
      unread: unread.map(({ field }) => field),
    }));
    const { unlisted } = account;
    const written = found.length > 0 ? files : [];
    print(
      JSON.stringify(
        { resources, unlisted, secrets: unknownsOf(found).secrets, files: written },
        undefined,
        2,
      ),
    );
    return unlisted.length > 0 ? 1 : 0;
  }
  for (const { kind, reason } of account.unlisted) print(`${kind}: not listed: ${reason}`);
  print(
    `${found.length} of ${account.resources.length} resources of the account are in no state of the project.`,
  );
  for (const { kind, id, name } of found) print(`  ${kind.padEnd(15)} ${id}  ${name}`);
  if (!list && found.length > 0) for (const line of nextSteps(found, options)) print(line);
  return account.unlisted.length > 0 ? 1 : 0;
}

function requireAbsent(path: string, file: string): void {
  if (existsSync(path))
    throw new CommandError(`${file} exists already`, [`remove ${file}`, "--out <another file>"]);
}

function valuesIn(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((text) => {
      const [, property = "", value = ""] = /^(\w+\.\w+)=(.+)$/s.exec(text) ?? [];
      if (property === "") throw new CommandError(`--set ${text} is not of the form Kind.input=value`);
      return [property, value];
    }),
  );
}

/** Returns the resource with the values that the user gives for what the service does not return. */
function withValues(resource: NamedResource, values: ReadonlyMap<string, string>): NamedResource {
  const known = resource.unread.flatMap(({ field, isSecret }): [string, string][] => {
    const value = isSecret ? undefined : values.get(`${resource.kind}.${field}`);
    return value === undefined ? [] : [[field, value]];
  });
  const set = Object.fromEntries(known);
  const unread = resource.unread.filter(({ field }) => !Object.hasOwn(set, field));
  return { ...resource, inputs: { ...resource.inputs, ...set }, unread };
}

/** What the service does not return, and the program therefore still lacks. */
function unknownsOf(found: readonly NamedResource[]): { inputs: string[]; secrets: string[] } {
  const all = found.flatMap((resource) => resource.unread.map((unread) => ({ resource, ...unread })));
  return {
    inputs: [
      ...new Set(
        all.filter(({ isSecret }) => !isSecret).map(({ resource, field }) => `${resource.kind}.${field}`),
      ),
    ],
    secrets: all
      .filter(({ isSecret }) => isSecret)
      .map(({ resource, field }) => secretSetting(resource, field)),
  };
}

/** Returns what is left to do, as commands and lines to type. */
function nextSteps(found: readonly NamedResource[], { out, native }: AdoptOptions): string[] {
  const { inputs, secrets } = unknownsOf(found);
  const steps = [
    ...(inputs.length > 0
      ? [
          `in ${out}, fill in what the service does not return: ${inputs.join(", ")} (or start over with --set)`,
        ]
      : []),
    ...secrets.map((key) => `pulumi config set --secret ${key}`),
    `in the program: import "./${basename(out, ".ts")}";`,
    ...(native
      ? [`pulumi import --file ${IMPORT_FILE} --generate-code=false --protect=false`]
      : ["pulumi up"]),
    "pulumi preview --expect-no-changes",
  ];
  return [
    `Written: ${[out, ...(native ? [IMPORT_FILE] : [])].join(", ")}. Next:`,
    ...steps.map((step, at) => `  ${at + 1}. ${step}`),
  ];
}
