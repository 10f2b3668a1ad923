// Deploys the quickstart on a local sandbox.
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { start } = await import("./local/start.mjs");
await runTool(start);
