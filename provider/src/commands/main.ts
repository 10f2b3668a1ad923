import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { textOf } from "../kernel/diagnostics/errors.js";
import { VERSION } from "../kernel/stack/version.js";
import { adopt } from "./adopt.js";
import { CommandError } from "./command-error.js";
import { doctor } from "./doctor.js";
import { SUMMARY_USAGE, summary, summaryOptions } from "./summary/command.js";

const USAGE = `Usage: pulumi-cloudservices <command> [options]

Commands:
  adopt    list what the account has and no state of this project knows, and write a program that adopts it
  doctor   check the engine, the packages, the settings, the service and the state
  summary  print what a preview would change, as Markdown for a pull request

Options:
  --stack <name>     the stack whose settings apply (default: the selected one)
  --cwd <folder>     the project's folder (default: this one)
  --json             print JSON
  --version, --help

adopt:
  --out <file>       the program to write (default: adopted.ts)
  --native           a program for the native plugin, and import.json for \`pulumi import --file\`
  --list             write nothing
  --set <Kind.input=value>
                     a value that the service does not return, such as Database.region=eu-central-1; repeatable

${SUMMARY_USAGE}`;

const options = {
  stack: { type: "string" },
  cwd: { type: "string", default: process.cwd() },
  out: { type: "string", default: "adopted.ts" },
  native: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  set: { type: "string", multiple: true },
  ...summaryOptions,
  version: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Prints a line, and returns the exit code of a command that has done its work. */
const print = (line: string): number => {
  process.stdout.write(`${line}\n`);
  return 0;
};

async function run(): Promise<number> {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = positionals;
  const common = { ...values, folder: resolve(values.cwd), stack: values.stack, set: values.set ?? [] };
  if (!existsSync(common.folder)) throw new CommandError(`there is no folder ${common.folder}`);
  if (values.version) return print(VERSION);
  if (values.help) return print(USAGE);
  if (command === "adopt" && rest.length === 0) return adopt(common, print);
  if (command === "doctor" && rest.length === 0) return doctor(common, print);
  if (command === "summary" && rest.length === 0) return summary(values);
  process.stderr.write(USAGE);
  return 2;
}

const parse = () => parseArgs({ options, allowPositionals: true });

async function main(): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    const text =
      error instanceof CommandError
        ? [error.message, ...error.fixes.map((fix) => `  fix: ${fix}`)].join("\n")
        : textOf(error);
    process.stderr.write(`error: ${text}\n`);
    process.exitCode = 1;
  }
}

void main();
