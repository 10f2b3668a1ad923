import { readFileSync } from "node:fs";
import { join } from "node:path";
import { watchProvider } from "./provider-memory.mjs";
import { openStack } from "./stack.mjs";

export const OPERATIONS = ["create", "preview", "no change", "update", "refresh", "destroy"];

/** @typedef {{ seconds: number, cpu: number, requests: number, kilobytes: number, megabytes: number }} Measured */

/**
 * What has a life: a stack, or what another tool has instead.
 *
 * @typedef {object} Subject
 * @property {import("cloudservices-sandbox").Sandbox} sandbox
 * @property {(version: string) => void} declare writes the program; the second version updates each resource
 * @property {Record<string, readonly string[]>} commands arguments by operation
 * @property {(args: readonly string[], through?: readonly string[]) => ReturnType<import("../tools/process/run.mjs").run>} run
 *   runs the tool, as an argument of another program if there is one
 * @property {string} stateFile
 * @property {string} home of the engine
 * @property {() => Promise<void>} close
 */

/**
 * Measures the life of one subject, by operation: seconds, CPU seconds of the command with its plugins, requests,
 * the size of the state, and the peak memory of a dynamic provider's process.
 *
 * @param {Subject} subject closed at the end
 * @returns {Promise<Record<string, Measured>>}
 */
export async function measureLife({ sandbox, declare, commands, run, stateFile, home, close }) {
  try {
    const results = {};
    declare("first");
    for (const operation of OPERATIONS) {
      if (operation === "update") declare("second");
      sandbox.clearJournal();
      const memory = watchProvider(home);
      const began = performance.now();
      const { code, stdout, stderr } = await run(commands[operation], ["bash", "-c", TIMED, "time"]);
      const seconds = (performance.now() - began) / 1_000;
      const megabytes = memory.end();
      if (code !== 0) throw new Error(`${operation} failed:\n${stdout}${stderr}`);
      const requests = sandbox.journal().length;
      const kilobytes = readFileSync(stateFile).length / 1_000;
      results[operation] = { seconds, cpu: cpuIn(stderr), requests, kilobytes, megabytes };
    }
    return results;
  } finally {
    await close();
  }
}

/**
 * Opens a Pulumi stack to measure.
 *
 * @param {object} options
 * @param {string} options.engineFolder
 * @param {(version: string) => string} options.program the text of a program; the second version updates each resource
 * @param {object} [options.project] settings beside the name and the runtime, for Pulumi.yaml
 * @param {Record<string, string>} [options.env]
 * @returns {Promise<Subject>}
 */
export async function openPulumi({ engineFolder, program, project, env }) {
  const { pulumi: run, folder, write, ...stack } = await openStack("life", { engineFolder, project, env });
  const up = ["up", "--yes", "--skip-preview"];
  return {
    ...stack,
    run,
    declare: (version) => write("index.js", program(version)),
    commands: {
      ...{ create: up, preview: ["preview"], "no change": up, update: up },
      refresh: ["refresh", "--yes", "--skip-preview"],
      destroy: ["destroy", "--yes", "--skip-preview"],
    },
    stateFile: join(folder, "state", ".pulumi", "stacks", "life", "dev.json"),
  };
}

/** @param {Parameters<typeof openPulumi>[0]} options */
export const lifeOf = async (options) => measureLife(await openPulumi(options));

/** Prints the CPU time of a command and of all processes that it has waited for. */
const TIMED = 'TIMEFORMAT="cpu %U %S"; time "$@"';

function cpuIn(text) {
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(text) ?? [];
  return Number(user) + Number(system);
}

/**
 * Runs the lives of several contestants, interleaved, and returns the medians.
 *
 * @param {Record<string, () => Promise<Record<string, Measured>>>} contestants
 * @param {number} rounds
 * @returns {Promise<(contestant: string, operation: string, what: keyof Measured) => number>}
 */
export async function mediansOf(contestants, rounds) {
  const lives = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  const order = Object.entries(contestants);
  for (let round = 0; round < rounds; round++) {
    for (const [name, live] of order) lives[name].push(await live());
    // What runs before can slow a contestant down by a fifth, so none is always behind the same one.
    order.unshift(...order.splice(-1));
  }
  return (name, operation, what) => median(lives[name].map((life) => life[operation][what]));
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export const round = (value, digits) => Number(value.toFixed(digits));
