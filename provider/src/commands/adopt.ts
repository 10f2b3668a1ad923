import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { z } from "zod";
import { accountOf } from "./account.js";
import { CommandError } from "./command-error.js";
import { type Form, importFileOf, type NamedResource, named, programOf, secretSetting } from "./program.js";
import { managedIn, openStack } from "./project.js";
import { valuesIn, withValues } from "./set-values.js";

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
  for (const file of files) requireAbsent(folder, file);
  const values = valuesIn(options.set);

  const { api, settings, stacks } = await openStack(folder, options.stack);
  const [managed, account] = await Promise.all([
    managedIn(folder, stacks),
    accountOf(api, settings.api === "documented"),
  ]);
  const isUnknown = ({ kind, id }: { kind: string; id: string }) => !managed.has(`${kind} ${id}`);
  const found = withValues(
    named(account.resources).filter(isUnknown),
    values,
    account.unlisted.map(({ kind }) => kind),
  );
  if (!list && found.length > 0) {
    const program = resolve(folder, options.out);
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, programOf(found, form), { flag: "wx" });
    if (native) writeFileSync(resolve(folder, IMPORT_FILE), importFileOf(found), { flag: "wx" });
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

function requireAbsent(folder: string, file: string): void {
  if (!existsSync(resolve(folder, file))) return;
  const other = file === IMPORT_FILE ? [] : ["--out <another file>"];
  throw new CommandError(`${file} exists already`, [`remove ${file}`, ...other]);
}

const manifest = z.looseObject({ type: z.string().optional() });

/** Returns what a program in the folder imports. ES modules need the ending of the compiled file. */
export function importOf(folder: string, out: string): string {
  const path = relative(folder, resolve(folder, out)).replaceAll("\\", "/").replace(/\.ts$/, "");
  let isModule = false;
  try {
    isModule =
      manifest.parse(JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8"))).type === "module";
  } catch {
    // Without a readable manifest, Node.js takes the program for CommonJS.
  }
  return `${path.startsWith("../") ? "" : "./"}${path}${isModule ? ".js" : ""}`;
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
function nextSteps(found: readonly NamedResource[], { folder, out, native }: AdoptOptions): string[] {
  const { inputs, secrets } = unknownsOf(found);
  const steps = [
    ...(inputs.length > 0
      ? [
          `in ${out}, fill in what the service does not return: ${inputs.join(", ")} (or start over with --set)`,
        ]
      : []),
    ...secrets.map((key) => `pulumi config set --secret ${key}`),
    `in the program: import ${JSON.stringify(importOf(folder, out))};`,
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
