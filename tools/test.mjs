// Prepares the checkout and runs all tests; ends with a line that counts them.
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { runTests } = await import("./test/run-tests.mjs");
await runTool(() => runTests(process.argv.slice(2)));
