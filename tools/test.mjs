// Prepares the checkout and runs tests; the last line counts them.
//
//   npm test                     all tests
//   npm test -- <path>           one file or folder
//   npm run test:unit            the unit tests without the slow ones; needs no engine
//   npm run test:unit -- <path>  the unit tests of one file or folder, slow ones included
import { requireNode } from "./setup/node-version.mjs";

requireNode();
const { runTool } = await import("./setup/problem.mjs");
const { runTests, runUnitTests } = await import("./test/run-tests.mjs");
const [first, ...rest] = process.argv.slice(2);
await runTool(() => (first === "--unit" ? runUnitTests(rest) : runTests(process.argv.slice(2))));
