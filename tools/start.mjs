// Deploys the quickstart, or another example, on a local sandbox: npm start web-app
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { start } = await import("./local/start.mjs");
await runTool(() => start(process.argv[2]));
