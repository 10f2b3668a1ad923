// How much later a program in TypeScript has started. Pulumi compiles it and keeps the result until the file changes;
// with `typescript: false`, Node.js removes the types.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureEngine } from "../tools/engine/ensure.mjs";
import { engineEnvironment } from "../tools/engine/environment.mjs";
import { run as runProgram } from "../tools/process/run.mjs";
import { median, round } from "./life.mjs";
import { openStack } from "./stack.mjs";

const ROUNDS = Number(process.env["TYPESCRIPT_ROUNDS"] ?? 9);
const parent = fileURLToPath(new URL("../.local/bench/", import.meta.url));

export const title = `typescript: until the last line of a program with one link, medians of ${ROUNDS} (TYPESCRIPT_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row a form of the program */
export async function run() {
  const engine = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  const node = await recentNode();
  const host = hostWithoutCompiler(engine);
  const forms = [];
  try {
    const given = { engine, node };
    forms.push(await openForm("JavaScript", { ...given, main: "index.js" }));
    forms.push(await openForm("TypeScript, not changed", { ...given, main: "index.ts" }));
    forms.push(await openForm("TypeScript, changed", { ...given, main: "index.ts", changes: true }));
    const plain = await openForm("JavaScript, typescript: false", { ...given, main: "index.mjs", host });
    const typed = { ...given, main: "index.ts", changes: true, host };
    forms.push(plain, await openForm("TypeScript, changed, typescript: false", typed));
    for (const form of forms) await form.preview();
    for (let at = 0; at < ROUNDS; at++)
      for (const form of [...forms.slice(at % forms.length), ...forms.slice(0, at % forms.length)])
        form.milliseconds.push(await form.preview());
  } finally {
    for (const { close } of forms) await close();
    rmSync(host, { recursive: true });
  }
  const times = new Map(forms.map(({ name, milliseconds }) => [name, median(milliseconds)]));
  return [...times].map(([program, ms]) => {
    const isStripped = program.endsWith("false");
    const added = ms - (times.get(isStripped ? "JavaScript, typescript: false" : "JavaScript") ?? 0);
    const row = { program, ms: round(ms, 0), "added ms": round(added, 0), note: node.version };
    if (!isStripped || program.startsWith("JavaScript")) return row;
    return { ...row, "at most": 150, holds: added <= 150 ? "holds" : "MISSED" };
  });
}

/** Opens a stack of one link, written in a form; with a `host`, Pulumi does not compile it. */
async function openForm(name, { engine, node, main, changes = false, host }) {
  const { PATH } = engineEnvironment(engine.folder, process.env);
  const stack = await openStack("typescript", {
    engineFolder: engine.folder,
    project: { main, runtime: { name: "nodejs", options: host ? { typescript: false } : {} } },
    env: {
      PATH: [...(host ? [host] : []), engine.folder, node.folder, PATH].join(delimiter),
      TS_NODE_CACHE_DIRECTORY: "compiled",
    },
  });
  // Without the type, Node.js would parse the program twice, and warn.
  if (host)
    stack.write("package.json", JSON.stringify({ name: "typescript", private: true, type: "module" }));
  const text = { "index.js": PLAIN, "index.mjs": MODULE, "index.ts": TYPED }[main];
  stack.write(main, text);
  stack.write("tsconfig.json", JSON.stringify({ compilerOptions: RECOMMENDED }));
  const preview = async () => {
    // No earlier run had this text, so no compiled form of it is kept.
    if (changes) stack.write(main, `// ${Date.now()}\n${text}`);
    const { code, stdout, stderr } = await stack.pulumi(["preview"]);
    if (code !== 0) throw new Error(`pulumi preview failed:\n${stdout}${stderr}`);
    return Number(readFileSync(join(stack.folder, "started"), "utf8"));
  };
  return { name, milliseconds: [], preview, close: stack.close };
}

/** As in docs/installing.md. */
const RECOMMENDED = {
  ...{ module: "nodenext", moduleResolution: "nodenext", target: "es2022" },
  ...{ strict: true, skipLibCheck: true, types: ["node"] },
};

// A preview takes seconds and varies by more than what is compared here: each program says how long its own process ran.
const PLAIN = `const { writeFileSync } = require("node:fs");
const { Link } = require("pulumi-cloudservices");
new Link("docs", { url: "https://example.com/" });
writeFileSync("started", String(performance.now()));
`;
const MODULE = `import { writeFileSync } from "node:fs";
import { Link } from "pulumi-cloudservices";
new Link("docs", { url: "https://example.com/" });
writeFileSync("started", String(performance.now()));
`;
const TYPED = `import { writeFileSync } from "node:fs";
import { Link } from "pulumi-cloudservices";
const url: string = "https://example.com/";
new Link("docs", { url });
writeFileSync("started", String(performance.now()));
`;

/** Returns a Node.js that removes types: this one, or one that it installs. */
async function recentNode() {
  if (process.features.typescript === "strip")
    return { folder: dirname(process.execPath), version: `Node.js ${process.versions.node}` };
  const folder = join(parent, "node");
  mkdirSync(folder, { recursive: true });
  const node = `node-${process.platform}-${process.arch}`;
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, dependencies: { [node]: "24" } }),
  );
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--engine-strict=false"];
  const installed = await runProgram("npm", args, { cwd: folder, env: process.env });
  const programs = join(folder, "node_modules", node, "bin");
  const { code, stdout, stderr } = await runProgram(join(programs, "node"), ["--version"]);
  if (code !== 0) throw new Error(`Node.js 24 was not installed:\n${installed.stderr}${stderr}`);
  return { folder: programs, version: `Node.js ${stdout.trim().slice(1)}` };
}

/** Returns a folder with a language host that gets the option as an argument: one that was built ignores Pulumi.yaml. */
function hostWithoutCompiler({ folder, source }) {
  mkdirSync(parent, { recursive: true });
  const host = mkdtempSync(join(parent, "host-"));
  if (source !== "build") return host;
  const name = "pulumi-language-nodejs";
  symlinkSync(join(folder, "pulumi-resource-pulumi-nodejs"), join(host, "pulumi-resource-pulumi-nodejs"));
  writeFileSync(join(host, name), `#!/bin/sh\nexec '${join(folder, name)}' -typescript=false "$@"\n`);
  chmodSync(join(host, name), 0o755);
  return host;
}
