import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { run } from "../../tools/process/run.mjs";
import { openFolder } from "../support/folder.js";
import { type Command, commandsIn, commandsOf } from "./commands.js";
import { blocks, pages, proseOf, root } from "./pages.js";

/*
 * The commands in the documentation exist, with the subcommands and flags that they are given.
 */

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

/** The commands of the engine with their flags, from the documentation that it writes of itself. */
const engine = new Map<string, ReadonlySet<string>>();

/** What our own commands print as their help. */
const helps = new Map<string, string>();

beforeAll(async () => {
  const folder = openFolder();
  const env = { ...process.env, ...folder.environment };
  const written = await run("pulumi", ["gen-markdown", folder.path], { env });
  expect(written.code, written.stderr).toBe(0);
  for (const file of readdirSync(folder.path).filter((name) => name.endsWith(".md"))) {
    const text = readFileSync(join(folder.path, file), "utf8");
    const flags = [...text.matchAll(/^ +(?:(-\w), )?(--[\w-]+)/gm)].flatMap(([, ...names]) => names);
    engine.set(file.slice(0, -3).replaceAll("_", " "), new Set(flags.filter((flag) => flag !== undefined)));
  }
  await folder.remove();
  for (const bin of ["pulumi-cloudservices", "cloudservices-sandbox"]) {
    const help = await run(join(root, "node_modules/.bin", bin), ["--help"], { env: process.env });
    helps.set(bin, help.stdout);
  }
});

const flagsIn = (args: readonly string[]) =>
  args.filter((arg) => /^--?[a-zA-Z]/.test(arg)).map((arg) => arg.split("=", 1)[0] ?? arg);

/** Returns what is wrong with a command of the engine. */
function engineProblem(args: readonly string[]): string | undefined {
  let name = "pulumi";
  let rest = args;
  while (rest[0] !== undefined && engine.has(`${name} ${rest[0]}`)) {
    name += ` ${rest[0]}`;
    rest = rest.slice(1);
  }
  const hasSubcommands = [...engine.keys()].some((other) => other.startsWith(`${name} `));
  const [next = ""] = rest;
  if (hasSubcommands && /^[a-z]/.test(next)) return `${name} has no command ${next}`;
  const wrong = flagsIn(rest).find((flag) => !engine.get(name)?.has(flag));
  return wrong && `${name} has no flag ${wrong}`;
}

/** Returns what is wrong with one of our commands: each word of its help is a command or a flag. */
function ownProblem(bin: string, args: readonly string[]): string | undefined {
  const words = new Set(helps.get(bin)?.split(/[\s,|=<>`]+/));
  const [command = ""] = args;
  const wrong = [...(/^[a-z]/.test(command) ? [command] : []), ...flagsIn(args)].find(
    (word) => !words.has(word),
  );
  return wrong && `${bin} has no ${wrong}`;
}

function binProblem([bin = "", ...args]: readonly string[]): string | undefined {
  if (!existsSync(join(root, "node_modules/.bin", bin))) return `there is no command ${bin}`;
  return helps.has(bin) ? ownProblem(bin, args) : undefined;
}

function npmProblem(args: readonly string[]): string | undefined {
  const [command = "", script = ""] = args.filter((arg) => !arg.startsWith("-"));
  const name = /^run(-script)?$/.test(command) ? script : command;
  const isBuiltIn = /^(ci|init|install|pack|publish|uninstall)$/.test(command);
  if (command === "start" && /^[a-z]/.test(script) && !existsSync(join(root, "examples", script)))
    return `there is no example ${script}`;
  return isBuiltIn || name in scripts ? undefined : `there is no script ${name}`;
}

/** Returns the file that a page means: in the checkout, or in the example that the page describes. */
const hasFile = (path: string) =>
  existsSync(join(root, path)) ||
  readdirSync(join(root, "examples")).some((example) => existsSync(join(root, "examples", example, path)));

/** The commands that are not ours: only their name is checked. */
const FOREIGN = /^(cd|curl|echo|export|git|go|grep|mkdir|pip|printf|psql|rm|umask)$/;

/** Returns what is wrong with a command. */
function problemOf([name, ...args]: Command): string | undefined {
  if (name === "pulumi") return engineProblem(args);
  if (name === "npm") return npmProblem(args);
  if (name === "npx") return binProblem(args.filter((arg) => arg !== "--no" && arg !== "--"));
  if (name === "cloudservices-sandbox" || name === "pulumi-cloudservices") return binProblem([name, ...args]);
  if (name === "node") return hasFile(args[0] ?? "") ? undefined : `there is no file ${args[0]}`;
  if (name === "docker") {
    const file = args[args.indexOf("-f") + 1] ?? "";
    return existsSync(join(root, file)) ? undefined : `there is no file ${file}`;
  }
  return FOREIGN.test(name) ? undefined : `the test does not know the command ${name}`;
}

const shown = blocks.filter(({ language }) => language === "sh" || language === "console");

it("finds commands at all", () => {
  expect(shown.flatMap(commandsOf).length).toBeGreaterThan(60);
});

it.each(shown)("the commands of $page:$line exist", (block) => {
  expect(commandsOf(block).map(problemOf).filter(Boolean)).toEqual([]);
});

it.each(pages)("the commands in the text of $path exist", (page) => {
  const commands = [...proseOf(page).matchAll(/(?<!`)`((?:npm|npx|pulumi)\s[^`]+)`(?!`)/g)].flatMap(
    ([, text = ""]) => commandsIn(text.replaceAll(/\s+/g, " ")),
  );
  expect(commands.map(problemOf).filter(Boolean)).toEqual([]);
});

describe("a wrong command is found", () => {
  it.each([
    ["npm run doc", "there is no script doc"],
    ["npm start web-ap", "there is no example web-ap"],
    ["pulumi previw --json", "pulumi has no command previw"],
    ["pulumi stack shwo", "pulumi stack has no command shwo"],
    ["A=b pulumi up --refesh=true # --no", "pulumi up has no flag --refesh"],
    ["npx --no -- pulumi-cloudservices adobt", "pulumi-cloudservices has no adobt"],
    ["npx --no -- pulumi-cloudservices adopt --stak x", "pulumi-cloudservices has no --stak"],
    ["npx --no -- cloudservices", "there is no command cloudservices"],
    ['export A="$(pulumi stack ouput x)"', "pulumi stack has no command ouput"],
    ["rm x && frobnicate", "the test does not know the command frobnicate"],
    ["node tools/nothing.mjs", "there is no file tools/nothing.mjs"],
  ])("%s", (line, problem) => {
    expect(commandsIn(line).map(problemOf).filter(Boolean)).toEqual([problem]);
  });
});
