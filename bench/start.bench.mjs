// What this package adds to the start of each run: to the program and to the provider process. Each time is measured in
// a process of its own.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { median, round } from "./life.mjs";

const ROUNDS = Number(process.env["START_ROUNDS"] ?? 7);
const root = fileURLToPath(new URL("..", import.meta.url));
const exec = promisify(execFile);

export const title = `start: medians of ${ROUNDS} (START_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row a goal */
export async function run() {
  return [
    await loading("program: require of the package", 60, 'require("pulumi-cloudservices");'),
    await loading("provider: until the first check", 150, FIRST_CHECK),
  ];
}

const FIRST_CHECK = `const { handlers } = require("pulumi-cloudservices/dynamic");
const settings = { baseUrl: "http://127.0.0.1:9/v1", apiKey: "sandbox_bench" };
handlers.Link.configure({ config: { get: (key) => settings[key.replace("cloudservices:", "")] } });
const urn = "urn:pulumi:dev::bench::pulumi-nodejs:dynamic/cloudservices:Link::a";
const { failures } = await handlers.Link.check({}, { url: "https://example.com/", __urn: urn });
if (failures.length > 0) throw new Error(JSON.stringify(failures));`;

/** Measures some code in a process that has already loaded Pulumi's package. */
async function loading(task, most, code) {
  const script = `require("@pulumi/pulumi");
(async () => {
  const before = Object.keys(require.cache).length;
  const began = performance.now();
  ${code}
  const milliseconds = performance.now() - began;
  console.log(JSON.stringify({ milliseconds, modules: Object.keys(require.cache).length - before }));
  process.exit();
})();`;
  const folder = `${root}.local/bench/`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}load.cjs`, script);
  const results = [];
  for (let at = 0; at < ROUNDS; at++) {
    const { stdout } = await exec(process.execPath, [`${folder}load.cjs`], { cwd: root });
    results.push(JSON.parse(stdout));
  }
  const time = median(results.map(({ milliseconds }) => milliseconds));
  return rowOf(task, time, most, `${results[0].modules} modules`);
}

const rowOf = (task, time, most, note) => ({
  task,
  "added ms": round(time, 0),
  "at most": most,
  holds: time <= most ? "holds" : "MISSED",
  note,
});
