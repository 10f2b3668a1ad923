// Builds the packages.
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { build } = await import("./setup/build.mjs");
await runTool(async () => {
  await build(() => {});
  return 0;
});
