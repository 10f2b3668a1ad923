import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Of `expect.poll`; one second, the default, can be short on a slow machine. */
const patient = { poll: { timeout: 20_000 } };

/** A whole stack on the real engine, and the machine may be slow. */
const endToEnd = {
  testTimeout: 300_000,
  hookTimeout: 120_000,
  expect: patient,
  retry: 1,
  // A worker often waits for an engine.
  maxWorkers: 3,
  isolate: false,
  setupFiles: "test/support/setup.ts",
  // After the unit tests, so that they do not compete for cores.
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  test: {
    tags: [
      {
        name: "slow",
        description: "Starts servers or compilers. Skipped by npm run test:unit without a path.",
      },
    ],
    projects: [
      {
        test: {
          name: "unit",
          // Half of the time they wait, for clocks and processes.
          maxWorkers: 2 * availableParallelism(),
          // Loading the modules anew for each file would take as long as the tests.
          isolate: false,
          // Some start processes, and the machine may be slow.
          testTimeout: 60_000,
          expect: patient,
          include: ["*/src/**/*.test.ts", "tools/**/*.test.ts", "test/faults/{judge,mutants}/**/*.test.ts"],
        },
      },
      {
        test: {
          name: "end to end",
          provide: { form: "dynamic" },
          include: ["test/**/*.test.ts", "examples/*/*.test.ts"],
          exclude: [
            "test/faults/!(whole-engine).test.ts",
            "test/faults/{judge,mutants}/**",
            "test/languages/**",
            "test/compatibility/**",
          ],
          globalSetup: "test/support/engine.ts",
          ...endToEnd,
        },
      },
      {
        // The same tests through the native plugin, of what the two forms could do differently.
        resolve: { alias: [{ find: /^pulumi-cloudservices$/, replacement: "pulumi-cloudservices/native" }] },
        test: {
          name: "native",
          provide: { form: "native" },
          include: ["test/provider/{life,creation,secrets,functions,fields,random}.test.ts"],
          globalSetup: "test/support/engine.ts",
          ...endToEnd,
        },
      },
      {
        test: {
          name: "languages",
          provide: { form: "native" },
          include: ["test/languages/**/*.test.ts"],
          globalSetup: ["test/support/engine.ts", "test/support/languages.ts"],
          ...endToEnd,
        },
      },
      {
        test: {
          name: "faults",
          include: ["test/faults/!(whole-engine).test.ts"],
          testTimeout: 60_000,
          // One test file already uses every core.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
