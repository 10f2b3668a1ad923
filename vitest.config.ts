import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          // Some start processes; these machines may be slow and shared.
          testTimeout: 60_000,
          include: ["*/src/**/*.test.ts", "tools/**/*.test.ts"],
        },
      },
      {
        test: {
          name: "end to end",
          include: ["test/**/*.test.ts"],
          globalSetup: "test/support/engine.ts",
          setupFiles: "test/support/setup.ts",
          // A whole life of a stack on the real engine; these machines may be slow and shared.
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          // After the unit tests, so that the two do not slow each other down.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
