// Makes a checkout ready: dependencies, build, engine.
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { prepare } = await import("./setup/prepare.mjs");
await runTool(async () => {
  const engine = await prepare((line) => console.error(`set-up: ${line}`));
  console.log(`Ready: Node ${process.version}, Pulumi ${engine.version} (${engine.source})`);
  return 0;
});
