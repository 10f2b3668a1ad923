// Runs any pulumi command on the local stack: npm run pulumi -- stack output
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { ensureEngine } = await import("./engine/ensure.mjs");
const { Pulumi } = await import("./local/pulumi.mjs");
await runTool(async () => {
  const engine = await ensureEngine({ log: (line) => console.error(`• ${line}`) });
  return new Pulumi(engine).show(process.argv.slice(2));
});
