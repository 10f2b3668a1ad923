import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { local, root } from "../setup/paths.mjs";
import { Problem } from "../setup/problem.mjs";

/**
 * A project that can run on the local sandbox.
 *
 * @typedef {object} Project
 * @property {string} name
 * @property {string} folder the one with the Pulumi.yaml that the engine reads
 * @property {string} program the file to edit
 * @property {string} stack
 * @property {string} [settings] the file with the settings of the stack
 * @property {Readonly<Record<string, () => string>>} secrets settings that are made up
 */

const examples = join(root, "examples");
/** The engine writes to a project's folder, so each example has one here. */
const copies = join(local, "projects");

const passcode = () => randomBytes(6).toString("base64url");
const webhookSecret = () => `whsec_${randomBytes(24).toString("base64")}`;

/** @type {Project} */
export const quickstart = {
  name: "quickstart",
  folder: root,
  program: "examples/quickstart/index.ts",
  stack: "local",
  secrets: { passcode, webhookSecret },
};

/** @type {Readonly<Record<string, Project["secrets"]>>} */
const secretsOf = { "web-app": { webhookSecret } };

/** @returns {string[]} the examples that `npm start` can run, apart from the quickstart */
function exampleNames() {
  return readdirSync(examples).filter((name) => /^runtime: nodejs$/m.test(projectFile(name)));
}

/** @param {string} name */
function projectFile(name) {
  const path = join(examples, name, "Pulumi.yaml");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/**
 * Returns a project by name, or the quickstart.
 *
 * @param {string} [given] such as `web-app` or `examples/web-app/`
 * @returns {Project}
 */
export function projectNamed(given = quickstart.name) {
  const name = given.replace(/^(\.\/)?(examples\/)?/, "").replace(/\/$/, "");
  if (name === quickstart.name) return quickstart;
  if (!exampleNames().includes(name)) {
    const known = [quickstart.name, ...exampleNames()].join(", ");
    throw new Problem(`There is no example "${given}" to start. There are: ${known}.`);
  }
  const [entry = "index.ts"] = ["index.ts", "index.js"].filter((file) =>
    existsSync(join(examples, name, file)),
  );
  const settings = join(examples, name, "Pulumi.dev.yaml");
  return {
    name,
    folder: join(copies, name),
    program: `examples/${name}/${entry}`,
    stack: "dev",
    ...(existsSync(settings) && { settings }),
    secrets: secretsOf[name] ?? {},
  };
}

/** Returns whether an argument names an example that `npm start` can run. */
export const isExample = (/** @type {string} */ name) =>
  name === quickstart.name || exampleNames().includes(name);

/**
 * Returns how a project is named at the end of a command such as `npm start`: the quickstart needs no name.
 *
 * @param {string} name
 */
export const asArgument = (name) => (name === quickstart.name ? "" : ` ${name}`);

/**
 * Writes the file from which the engine runs the program of an example.
 *
 * @param {Project} project
 */
export function writeProjectFile({ name, folder }) {
  if (folder === root) return;
  mkdirSync(folder, { recursive: true });
  const file = `${projectFile(name).trimEnd()}\nmain: ${JSON.stringify(join(examples, name))}\n`;
  writeFileSync(join(folder, "Pulumi.yaml"), file);
}

/** Removes the files of all examples. */
export function removeProjectFiles() {
  rmSync(copies, { recursive: true, force: true });
}
