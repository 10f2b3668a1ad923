import { readFileSync } from "node:fs";
import { join } from "node:path";
import { watchProvider } from "./provider-memory.mjs";
import { openStack } from "./stack.mjs";

export const OPERATIONS = ["create", "preview", "no change", "update", "refresh", "destroy"];

/** @typedef {{ seconds: number, cpu: number, requests: number, kilobytes: number, megabytes: number }} Measured */

/**
 * Measures the life of one stack, by operation: seconds, CPU seconds of the command with its plugins, requests,
 * the size of the state, and the peak memory of the provider process.
 *
 * @param {object} options
 * @param {string} options.engineFolder
 * @param {(version: string) => string} options.program the text of a program; the second version updates each resource
 * @param {object} [options.project] settings beside the name and the runtime, for Pulumi.yaml
 * @param {Record<string, string>} [options.env]
 * @returns {Promise<Record<string, Measured>>}
 */
export async function lifeOf({ engineFolder, program, project, env }) {
  const { folder, home, sandbox, write, pulumi, close } = await openStack("life", {
    engineFolder,
    project,
    env,
  });
  try {
    const results = {};
    const measure = async (operation, ...args) => {
      sandbox.clearJournal();
      const memory = watchProvider(home);
      const began = performance.now();
      const { code, stdout, stderr } = await pulumi(args, ["bash", "-c", TIMED, "time"]);
      const seconds = (performance.now() - began) / 1_000;
      if (code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${stdout}${stderr}`);
      const requests = sandbox.journal().length;
      const megabytes = memory.end();
      results[operation] = { seconds, cpu: cpuIn(stderr), requests, kilobytes: stateOf(folder), megabytes };
    };
    write("index.js", program("first"));
    await measure("create", "up", "--yes", "--skip-preview");
    await measure("preview", "preview");
    await measure("no change", "up", "--yes", "--skip-preview");
    write("index.js", program("second"));
    await measure("update", "up", "--yes", "--skip-preview");
    await measure("refresh", "refresh", "--yes", "--skip-preview");
    await measure("destroy", "destroy", "--yes", "--skip-preview");
    return results;
  } finally {
    await close();
  }
}

/** Prints the CPU time of a command and of all processes that it has waited for. */
const TIMED = 'TIMEFORMAT="cpu %U %S"; time "$@"';

function cpuIn(text) {
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(text) ?? [];
  return Number(user) + Number(system);
}

const stateOf = (folder) =>
  readFileSync(join(folder, "state", ".pulumi", "stacks", "life", "dev.json")).length / 1_000;

/**
 * Runs the lives of several contestants, interleaved, and returns the medians.
 *
 * @param {Record<string, () => Promise<Record<string, Measured>>>} contestants
 * @param {number} rounds
 * @returns {Promise<(contestant: string, operation: string, what: keyof Measured) => number>}
 */
export async function mediansOf(contestants, rounds) {
  const lives = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, live] of Object.entries(contestants)) lives[name].push(await live());
  return (name, operation, what) => median(lives[name].map((life) => life[operation][what]));
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export const round = (value, digits) => Number(value.toFixed(digits));
