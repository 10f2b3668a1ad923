// The dynamic form and the native plugin with the same links, interleaved: seconds, CPU seconds of the whole command
// with its plugins, requests, and the size of the state.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nativePlugin } from "pulumi-cloudservices/native";
import { ensureEngine } from "../tools/engine/ensure.mjs";
import { openStack } from "./stack.mjs";

const RESOURCES = Number(process.env["FORMS_RESOURCES"] ?? 100);
const ROUNDS = Number(process.env["FORMS_ROUNDS"] ?? 3);
const FORMS = { dynamic: "pulumi-cloudservices", native: "pulumi-cloudservices/native" };
const OPERATIONS = ["create", "no change", "update", "refresh", "destroy"];

export const title = `forms: ${RESOURCES} links, medians of ${ROUNDS} (FORMS_RESOURCES, FORMS_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row an operation */
export async function run() {
  const engine = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  const measured = { dynamic: [], native: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const form of Object.keys(FORMS)) measured[form].push(await lifeOf(form, engine.folder));
  const median = (form, operation, what) => middle(measured[form].map((life) => life[operation][what]));
  const compared = (operation, what, digits) => {
    const [dynamic, native] = Object.keys(FORMS).map((form) => median(form, operation, what));
    return [round(dynamic, digits), round(native, digits), round(native / dynamic, 2)];
  };
  return OPERATIONS.map((operation) => {
    const [dynamic, native, ratio] = compared(operation, "seconds", 1);
    const [cpuDynamic, cpuNative, cpuRatio] = compared(operation, "cpu", 1);
    const [stateDynamic, stateNative, stateRatio] = compared(operation, "kilobytes", 0);
    return {
      operation,
      ...{ dynamic, native, ratio },
      "CPU dynamic": cpuDynamic,
      "CPU native": cpuNative,
      "CPU ratio": cpuRatio,
      requests: `${median("dynamic", operation, "requests")} / ${median("native", operation, "requests")}`,
      "state kB": operation === "create" ? `${stateDynamic} / ${stateNative}` : "",
      "state ratio": operation === "create" ? stateRatio : "",
    };
  });
}

/** Measures the life of one stack, by operation. */
async function lifeOf(form, engineFolder) {
  const project = form === "native" ? nativePlugin : {};
  const { folder, sandbox, write, pulumi, close } = await openStack("forms", { engineFolder, project });
  try {
    const results = {};
    const measure = async (operation, ...args) => {
      sandbox.clearJournal();
      const began = performance.now();
      const { code, stdout, stderr } = await pulumi(args, ["bash", "-c", TIMED, "time"]);
      const seconds = (performance.now() - began) / 1_000;
      if (code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${stdout}${stderr}`);
      const requests = sandbox.journal().length;
      results[operation] = { seconds, cpu: cpuIn(stderr), requests, kilobytes: stateOf(folder) };
    };
    write("index.js", programOf(form, "first"));
    await measure("create", "up", "--yes", "--skip-preview");
    await measure("no change", "up", "--yes", "--skip-preview");
    write("index.js", programOf(form, "second"));
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
  readFileSync(join(folder, "state", ".pulumi", "stacks", "forms", "dev.json")).length / 1_000;

const programOf = (form, path) => `const { Link } = require("${FORMS[form]}");
for (let at = 0; at < ${RESOURCES}; at++) new Link(\`link-\${at}\`, { url: \`https://example.com/${path}/\${at}\` });
`;

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const round = (value, digits) => Number(value.toFixed(digits));
