// Destroys the quickstart and other examples, and stops their sandbox.
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { down } = await import("./local/down.mjs");
await runTool(down);
