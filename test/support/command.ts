import { fileURLToPath } from "node:url";
import { type Outcome, run } from "../../tools/process/run.mjs";
import type { TestProject } from "./project.js";

const bin = fileURLToPath(new URL("../../provider/bin/pulumi-cloudservices.mjs", import.meta.url));

/** Runs the package's own command in the folder of a project. */
export const command = (
  project: TestProject,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> =>
  run(process.execPath, [bin, ...args], {
    cwd: project.folder,
    env: { ...project.environment, ...env },
    timeoutMs: 120_000,
  });
