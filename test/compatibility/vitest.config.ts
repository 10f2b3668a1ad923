import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Not a part of `npm test`: it installs other versions of Node.js, and takes a quarter of an hour. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/compatibility/*.test.ts"],
    globalSetup: "test/support/engine.ts",
    setupFiles: "test/support/setup.ts",
    provide: { form: "dynamic" },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
