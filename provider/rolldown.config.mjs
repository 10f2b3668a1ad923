import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

const licence = readFileSync(new URL("../node_modules/zod/LICENSE", import.meta.url), "utf8").trim();

// The processes that the engine starts load the provider, the sdk and the used part of zod as a few files. Decision 0022
// has the reasons, also for what stays outside.
export default defineConfig({
  cwd: import.meta.dirname,
  input: { dynamic: "src/dynamic.ts", plugin: "src/plugin.ts" },
  platform: "node",
  external: [/^@pulumi\//, "undici"],
  output: {
    dir: "bundle",
    format: "cjs",
    chunkFileNames: "[name].js",
    banner: `/*! Contains parts of zod:\n\n${licence}\n*/`,
    cleanDir: true,
  },
});
