// Runs a pulumi command on the local stack with a debugger on the provider: npm run debug -- up --yes --skip-preview
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { debug } = await import("./local/debug.mjs");
await runTool(() => debug(process.argv.slice(2)));
