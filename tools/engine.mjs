// Finds or gets the Pulumi engine, and the language hosts that are named as arguments, and prints where they are.
import { ensureEngine } from "./engine/ensure.mjs";
import { ensureHost, hostNames } from "./engine/hosts.mjs";
import { SharedGo } from "./engine/shared-go.mjs";
import { Problem, runTool } from "./setup/problem.mjs";

await runTool(async () => {
  const log = (/** @type {string} */ line) => console.error(`engine: ${line}`);
  const chosen = process.argv.slice(2).map((argument) => {
    const name = hostNames.find((candidate) => candidate === argument);
    if (!name) throw new Problem(`No language host "${argument}". Known: ${hostNames.join(", ")}.`);
    return name;
  });
  const engine = await ensureEngine({ log });
  console.log(`Pulumi ${engine.version} (${engine.source}) in ${engine.folder}`);
  const go = new SharedGo({ env: process.env, log });
  try {
    for (const name of chosen) {
      const host = await ensureHost(name, { engineFolder: engine.folder, go, log });
      console.log(`language host for ${name} (${host.source}): ${host.program}`);
    }
  } finally {
    go.close();
  }
  return 0;
});
