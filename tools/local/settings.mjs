import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "../setup/paths.mjs";

/**
 * @typedef {import("./projects.mjs").Project} Project
 * @typedef {import("./pulumi.mjs").Pulumi} Pulumi
 */

/**
 * Settings as `pulumi config --json` prints them: without the values of secrets.
 *
 * @typedef {Record<string, { value?: string, secret?: boolean }>} Settings
 */

/** @param {Project} project @returns {string} the example's settings file, as its stack last took it */
const takenFile = ({ folder }) => join(folder, "settings.yaml");

/**
 * Returns whether an example's settings file has changed since its stack took the settings.
 *
 * @param {Project} project
 */
export function settingsChanged(project) {
  if (project.settings === undefined) return false;
  const taken = takenFile(project);
  return !existsSync(taken) || readFileSync(taken, "utf8") !== readFileSync(project.settings, "utf8");
}

/**
 * Lets the next stack of a project take all settings of the file.
 *
 * @param {Project} project
 */
export function forgetSettings(project) {
  if (project.settings !== undefined) rmSync(takenFile(project), { force: true });
}

/**
 * Gives the stack what has changed in the example's settings file. What `pulumi config set` changed stays, until the
 * file changes the same setting. The stack needs a file of its own, because the engine writes secrets to it.
 *
 * @param {Pulumi} pulumi
 * @param {(line: string) => void} log
 */
export async function takeSettings(pulumi, log) {
  const { name, stack, settings: file } = pulumi.project;
  if (file === undefined || !settingsChanged(pulumi.project)) return;
  const taken = takenFile(pulumi.project);
  // Read before the engine reads it: the next run takes what changes in between.
  const text = readFileSync(file, "utf8");
  const before = existsSync(taken) ? await settingsOf(pulumi, taken) : {};
  const present = await settingsOf(pulumi);
  const { set, removed, skipped } = changesOf({ before, wanted: await settingsOf(pulumi, file), present });

  if (set.length > 0) {
    const pairs = set.flatMap(([key, value]) => ["--plaintext", `${key}=${value}`]);
    await pulumi.read(["config", "set-all", ...pairs, "--stack", stack]);
  }
  if (removed.length > 0) await pulumi.read(["config", "rm-all", ...removed, "--stack", stack]);
  writeFileSync(taken, text);

  const was = (/** @type {string} */ key) => (key in present ? ` (was ${present[key]?.value})` : "");
  const by = `npm run pulumi -- ${name} config set`;
  for (const change of [
    ...set.map(([key, value]) => `set ${key} = ${value}${was(key)}`),
    ...removed.map((key) => `removed ${key}${was(key)}`),
    ...skipped.map((key) => `skipped ${key}; ${by} changes it for the local stack`),
  ])
    log(`${relative(root, file)}: ${change}`);
}

/**
 * Returns what to change in a stack after a change of its settings file.
 *
 * @param {object} settings
 * @param {Settings} settings.before the file, as the stack last took it
 * @param {Settings} settings.wanted the file now
 * @param {Settings} settings.present the stack
 */
export function changesOf({ before, wanted, present }) {
  // The sandbox's address and key are not those of the file, and its secrets have another passphrase.
  const isSkipped = (/** @type {string} */ key) =>
    key.startsWith("cloudservices:") || wanted[key]?.secret === true || present[key]?.secret === true;
  const set = Object.entries(wanted).flatMap(([key, { value }]) =>
    value === undefined || isSkipped(key) || value === before[key]?.value || value === present[key]?.value
      ? []
      : [/** @type {const} */ ([key, value])],
  );
  const removed = Object.entries(before)
    .filter(([key]) => key in present && !(key in wanted) && !isSkipped(key))
    .filter(([key, { value }]) => value === present[key]?.value)
    .map(([key]) => key);
  return { set, removed, skipped: Object.keys(wanted).filter(isSkipped) };
}

/**
 * @param {Pulumi} pulumi
 * @param {string} [file] default: the local stack's
 * @returns {Promise<Settings>}
 */
export async function settingsOf(pulumi, file) {
  const from = file === undefined ? [] : ["--config-file", file];
  return JSON.parse(await pulumi.read(["config", "--json", "--stack", pulumi.project.stack, ...from]));
}
