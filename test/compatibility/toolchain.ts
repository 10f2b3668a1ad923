import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../tools/process/run.mjs";
import { LINES, type Manager } from "./combinations.js";

const folder = fileURLToPath(new URL("../../.local/compatibility/tools", import.meta.url));

const nodePackage = `node-${process.platform}-${process.arch}`;

/** The packages of the programs that install a project. */
const packages: Readonly<Record<string, string>> = {
  ...Object.fromEntries(LINES.map((line) => [`node-${line}`, `npm:${nodePackage}@${line}`])),
  npm: "11",
  pnpm: "latest",
  "@yarnpkg/cli-dist": "4",
  bun: "latest",
  [`@oven/bun-${process.platform}-${process.arch}`]: "latest",
};

/** Installs each line of Node.js and each package manager from the registry. */
export async function installTools(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--engine-strict=false"];
  const { code, stdout, stderr } = await run("npm", args, { cwd: folder, env: process.env });
  if (code !== 0) throw new Error(`npm install failed:\n${stdout}${stderr}`);
}

const inTools = (...path: string[]): string => join(folder, "node_modules", ...path);

/** Returns the folder with the program `node` of a line. */
export const nodeFolder = (line: number): string => inTools(`node-${line}`, "bin");

/** Returns the command that runs a package manager, with the `node` of the PATH if it is written for Node.js. */
export function managerCommand(manager: Manager): readonly [string, ...string[]] {
  if (manager === "npm") return ["node", inTools("npm", "bin", "npm-cli.js")];
  if (manager === "pnpm") return ["node", inTools("pnpm", "bin", "pnpm.mjs")];
  if (manager === "bun") return [inTools("@oven", `bun-${process.platform}-${process.arch}`, "bin", "bun")];
  return ["node", inTools("@yarnpkg", "cli-dist", "bin", "yarn.js")];
}
