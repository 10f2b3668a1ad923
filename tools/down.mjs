// Destroys the quickstart and stops its sandbox.
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { down } = await import("./local/down.mjs");
await runTool(down);
