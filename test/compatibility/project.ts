import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Outcome, run } from "../../tools/process/run.mjs";
import { outsideNpm } from "../packages/consumer-project.js";
import { emptyFolder, type Tarball } from "../packages/tarballs.js";
import { openFolder } from "../support/folder.js";
import type { Combination, Form, Manager } from "./combinations.js";
import type { Versions } from "./table.js";
import { managerCommand, nodeFolder } from "./toolchain.js";

/** A project outside the checkout that has installed the packed packages. */
export interface Project {
  /** Writes the program, with a link to this address. */
  writeProgram(url: string): void;
  /** Returns what the combination uses. */
  versions(): Promise<Versions>;
  /** Runs a command with the combination's Node.js. */
  run(command: string, args: readonly string[]): Promise<Outcome>;
}

const files: Record<Form, { readonly name: string; readonly source: (url: string) => string }> = {
  CommonJS: {
    name: "index.js",
    source: (url) => `const { Link } = require("pulumi-cloudservices");
exports.shortUrl = new Link("home", { url: "${url}" }).shortUrl;
`,
  },
  "ES modules": { name: "index.js", source: module },
  "TypeScript 5": { name: "index.ts", source: module },
  "TypeScript 6": { name: "index.ts", source: module },
};

function module(url: string): string {
  return `import { Link } from "pulumi-cloudservices";
const link = new Link("home", { url: "${url}" });
export const shortUrl = link.shortUrl;
`;
}

/** The last version that supports Node.js 20, or the newest. */
const pulumiFor = (node: number): string => (node < 22 ? "3.248.0" : "latest");

const typescriptFor = (form: Form): Record<string, string> =>
  form === "TypeScript 5"
    ? { typescript: "~5.9.0" }
    : form === "TypeScript 6"
      ? { typescript: "~6.0.0" }
      : {};

/**
 * Returns the files that let a package manager install the packed files. Only npm finds the sdk in the project for the
 * provider; the others would look in the registry.
 */
function managerFiles(manager: Manager, sdk: string): { fields: object; files: Record<string, string> } {
  const sources = { "cloudservices-sdk": sdk };
  switch (manager) {
    case "npm":
      return { fields: {}, files: {} };
    case "bun":
      return { fields: { overrides: sources }, files: {} };
    case "pnpm":
      // pnpm fails when a dependency has an install script that is neither approved nor denied. None is needed.
      return {
        fields: {},
        files: {
          "pnpm-workspace.yaml": `overrides:\n  cloudservices-sdk: ${sdk}\nstrictDepBuilds: false\n`,
        },
      };
    case "yarn":
    case "yarn, Plug'n'Play": {
      const linker = manager === "yarn" ? "node-modules" : "pnp";
      return {
        fields: { resolutions: sources },
        files: { ".yarnrc.yml": `nodeLinker: ${linker}\nenableTelemetry: false\n`, "yarn.lock": "" },
      };
    }
  }
}

/** Writes a project and installs it with the combination's package manager. */
export async function openProject(
  { node, form, manager }: Combination,
  tarballs: readonly Tarball[],
  env: Readonly<Record<string, string>>,
): Promise<{ project: Project; installed: Outcome }> {
  const folder = emptyFolder();
  const packed = (name: string) => {
    const tarball = tarballs.find((one) => one.name === name);
    if (!tarball) throw new Error(`There is no package ${name}.`);
    return `file:${tarball.path}`;
  };
  const { fields, files: own } = managerFiles(manager, packed("cloudservices-sdk"));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
  };
  const isTypeScript = form.startsWith("TypeScript");
  write(
    "package.json",
    JSON.stringify({
      ...{ name: "consumer", version: "0.0.0", private: true },
      ...(form === "ES modules" && { type: "module" }),
      dependencies: {
        "@pulumi/pulumi": pulumiFor(node),
        "cloudservices-sdk": packed("cloudservices-sdk"),
        "cloudservices-sandbox": packed("cloudservices-sandbox"),
        "pulumi-cloudservices": packed("pulumi-cloudservices"),
      },
      ...(isTypeScript && { devDependencies: { "@types/node": `^${node}.0.0`, ...typescriptFor(form) } }),
      ...fields,
    }),
  );
  for (const [name, text] of Object.entries(own)) write(name, text);
  write("Pulumi.yaml", `name: consumer\nruntime:\n  name: nodejs\n`);
  if (isTypeScript) write("tsconfig.json", JSON.stringify(tsconfig));

  const stack = openFolder();
  const { PATH = "" } = process.env;
  const environment = {
    ...outsideNpm(process.env),
    ...stack.environment,
    ...env,
    PATH: [nodeFolder(node), PATH].join(delimiter),
  };
  const runHere = (command: string, args: readonly string[]) =>
    run(command, args, { cwd: folder, env: environment, timeoutMs: 300_000 });
  const [command, ...first] = managerCommand(manager);
  const manage = (...args: string[]) => runHere(command, [...first, ...args]);
  const { name, source } = files[form];
  const project: Project = {
    writeProgram: (url) => write(name, source(url)),
    run: runHere,
    async versions() {
      const pulumi = 'process.version.slice(1) + " " + require("@pulumi/pulumi/package.json").version';
      const pnp = manager === "yarn, Plug'n'Play" ? ["-r", "./.pnp.cjs"] : [];
      const [node = "", own = ""] = (await runHere("node", [...pnp, "-p", pulumi])).stdout.trim().split(" ");
      return { node, pulumi: own, manager: (await manage("--version")).stdout.trim() };
    },
  };
  project.writeProgram("https://example.com/");
  return { project, installed: await manage("install") };
}

const tsconfig = {
  compilerOptions: {
    ...{ strict: true, target: "es2022", module: "nodenext", moduleResolution: "nodenext" },
    ...{ noEmit: true, skipLibCheck: true, types: ["node"] },
  },
  files: ["index.ts"],
};

/** Returns the line in which a command explains its failure. */
export const reasonOf = ({ stdout, stderr, problem }: Outcome): string =>
  problem ??
  `${stdout}${stderr}`
    .split("\n")
    .find((line) => /error|cannot|failed/i.test(line))
    ?.trim() ??
  "";
