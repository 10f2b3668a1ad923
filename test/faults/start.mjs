// Runs the faults campaign: bundles it, because Node runs no TypeScript, and starts it on the built packages.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { ensureEngine } from "../../tools/engine/ensure.mjs";
import { engineEnvironment } from "../../tools/engine/environment.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const file = `${root}.local/faults/run.mjs`;

const bundle = await rolldown({
  input: `${root}test/faults/run.ts`,
  platform: "node",
  // Loads packages as installed, and the product as built.
  external: (id) => !id.startsWith(".") && !id.startsWith("/"),
});
await bundle.write({ file, format: "esm" });
await bundle.close();

const form = process.argv[process.argv.indexOf("--form") + 1] === "native" ? "native" : "dynamic";
let env = { ...process.env, CAMPAIGN_ROOT: root, CAMPAIGN_FORM: form };
if (process.argv.includes("--whole-engine")) {
  const { folder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  env = { ...engineEnvironment(folder, process.env), CAMPAIGN_ROOT: root, CAMPAIGN_FORM: form };
}

const run = spawn(process.execPath, ["--max-old-space-size=1024", file, ...process.argv.slice(2)], {
  stdio: "inherit",
  env,
});
run.once("exit", (code) => process.exit(code ?? 1));
