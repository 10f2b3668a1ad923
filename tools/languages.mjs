// Generates the SDKs for Python and Go, and the reference for YAML, from the provider's schema.
import { SharedGo } from "./engine/shared-go.mjs";
import { updateLanguages } from "./languages/generate.mjs";
import { runTool } from "./setup/problem.mjs";

await runTool(async () => {
  const log = (/** @type {string} */ line) => console.error(`languages: ${line}`);
  const go = new SharedGo({ env: process.env, log });
  try {
    await updateLanguages({ go, log });
  } finally {
    go.close();
  }
  console.log("Written: languages/");
  return 0;
});
