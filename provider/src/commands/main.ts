import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { textOf } from "../kernel/diagnostics/errors.js";
import { VERSION } from "../kernel/stack/version.js";
import { adopt } from "./adopt.js";
import { CommandError } from "./command-error.js";
import { doctor } from "./doctor.js";
import { SUMMARY_USAGE, summary, summaryOptions } from "./summary/command.js";

const USAGE = `Usage: pulumi-cloudservices <command> [options]
       pulumi-cloudservices --version | --help

Commands:
  adopt    list what the account has and no state of this project knows, and write a program that adopts it
  doctor   check the engine, the packages, the settings, the service and the state
  summary  print what a preview would change, as Markdown for a pull request

Options of adopt and doctor:
  --stack <name>     the stack whose settings apply (default: the selected one)
  --cwd <folder>     the project's folder (default: this one)
  --json             print JSON

adopt:
  --out <file>       the program to write (default: adopted.ts)
  --native           a program for the native plugin, and import.json for \`pulumi import --file\`
  --list             write nothing
  --set <Kind.input=value>
                     a value that the service does not return, such as Database.region=eu-central-1; repeatable

${SUMMARY_USAGE}`;

const common = {
  cwd: { type: "string", default: process.cwd() },
  stack: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

const adoptOptions = {
  ...common,
  out: { type: "string", default: "adopted.ts" },
  native: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  set: { type: "string", multiple: true },
} as const;

/** Prints a line, and returns the exit code of a command that has done its work. */
const print = (line: string): number => {
  process.stdout.write(`${line}\n`);
  return 0;
};

/** Returns the options of a command, which must have no other arguments. */
function parsed<T extends NonNullable<ParseArgsConfig["options"]>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(textOf(error));
  }
}

/** The command line is not of the form that the help shows. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Returns the project's folder and stack. */
function projectOf({ cwd, stack }: { readonly cwd: string; readonly stack?: string | undefined }) {
  const folder = resolve(cwd);
  if (!existsSync(folder)) throw new CommandError(`there is no folder ${folder}`);
  return { folder, stack };
}

async function run([command, ...args]: string[]): Promise<number> {
  const all = [command, ...args];
  if (all.includes("--help") || all.includes("-h")) return print(USAGE);
  if (all.includes("--version")) return print(VERSION);
  switch (command) {
    case "adopt": {
      const values = parsed(args, adoptOptions);
      return adopt({ ...values, set: values.set ?? [], ...projectOf(values) }, print);
    }
    case "doctor": {
      const values = parsed(args, common);
      return doctor({ ...values, ...projectOf(values) }, print);
    }
    case "summary":
      return summary(parsed(args, summaryOptions));
    default:
      throw new UsageError(command === undefined ? "a command is missing" : `there is no command ${command}`);
  }
}

async function main(): Promise<void> {
  try {
    process.exitCode = await run(process.argv.slice(2));
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`error: ${error.message}\n\n${USAGE}`);
      process.exitCode = 2;
      return;
    }
    const text =
      error instanceof CommandError
        ? [error.message, ...error.fixes.map((fix) => `  fix: ${fix}`)].join("\n")
        : textOf(error);
    process.stderr.write(`error: ${text}\n`);
    process.exitCode = 1;
  }
}

void main();
