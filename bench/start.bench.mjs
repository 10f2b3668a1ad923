// What this package adds to the start of each run: to the program, to the provider process, and to a program in
// TypeScript. Each time is measured in a process of its own.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ensureEngine } from "../tools/engine/ensure.mjs";
import { median, round } from "./life.mjs";
import { openStack } from "./stack.mjs";

const ROUNDS = Number(process.env["START_ROUNDS"] ?? 7);
const root = fileURLToPath(new URL("..", import.meta.url));
const exec = promisify(execFile);

export const title = `start: medians of ${ROUNDS} (START_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row a goal */
export async function run() {
  const rows = [
    await loading("program: require of the package", 60, 'require("pulumi-cloudservices");'),
    await loading("provider: until the first check", 150, FIRST_CHECK),
  ];
  return [...rows, ...(await typeScript())];
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

/** Compares previews of one program: JavaScript, TypeScript that Pulumi compiles, and TypeScript that Node.js strips. */
async function typeScript() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 18))
    return [{ task: "TypeScript without its types", holds: "not measured", note: "needs Node.js 22.18" }];
  const { folder: engineFolder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  const settings = JSON.stringify({
    compilerOptions: { module: "nodenext", target: "es2022", strict: true },
  });
  const open = async (main, runtime) => {
    const stack = await openStack("start", { engineFolder, project: { main, runtime } });
    stack.write(main, main.endsWith(".ts") ? TYPED : PLAIN);
    stack.write("tsconfig.json", settings);
    return { stack, seconds: [] };
  };
  const sides = {
    javascript: await open("index.js", "nodejs"),
    compiled: await open("index.ts", "nodejs"),
    stripped: await open("index.ts", { name: "nodejs", options: { typescript: false } }),
  };
  try {
    for (let at = 0; at < ROUNDS; at++)
      for (const { stack, seconds } of Object.values(sides)) {
        const began = performance.now();
        const { code, stdout, stderr } = await stack.pulumi(["preview"]);
        if (code !== 0) throw new Error(`pulumi preview failed:\n${stdout}${stderr}`);
        seconds.push(performance.now() - began);
      }
  } finally {
    for (const { stack } of Object.values(sides)) await stack.close();
  }
  const time = (side) => median(side.seconds);
  const added = (side) => time(side) - time(sides.javascript);
  const note = `beside ${round(time(sides.javascript), 0)} ms in JavaScript`;
  return [
    { task: "TypeScript, compiled by Pulumi", "added ms": round(added(sides.compiled), 0), note },
    rowOf("TypeScript without its types", added(sides.stripped), 150, note),
  ];
}

const PLAIN = `const { Link } = require("pulumi-cloudservices");
new Link("docs", { url: "https://example.com/" });
`;
const TYPED = `import { Link } from "pulumi-cloudservices";
const url: string = "https://example.com/";
new Link("docs", { url });
`;

const rowOf = (task, time, most, note) => ({
  task,
  "added ms": round(time, 0),
  "at most": most,
  holds: time <= most ? "holds" : "MISSED",
  note,
});
