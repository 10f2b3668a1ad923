import { join } from "node:path";
import { run } from "../process/run.mjs";
import { root } from "./paths.mjs";
import { Problem } from "./problem.mjs";

/**
 * Builds the packages that have changed.
 *
 * @param {(line: string) => void} log
 */
export async function build(log) {
  const steps = [
    [join("tools", "write-versions.mjs")],
    [join("tools", "write-native.mjs")],
    [join("node_modules", "typescript", "bin", "tsc"), "-b", "tsconfig.build.json"],
    [join("tools", "finish-build.mjs")],
    [join("node_modules", "rolldown", "bin", "cli.mjs"), "--config", join("provider", "rolldown.config.mjs")],
  ];
  const slow = setTimeout(() => log("building the packages"), 3_000);
  try {
    for (const step of steps) {
      const { code, stdout, stderr, problem } = await run(process.execPath, step, { cwd: root });
      if (code !== 0) throw new Problem(`The build failed:\n\n${problem ?? ""}${stdout}${stderr}`.trimEnd());
    }
  } finally {
    clearTimeout(slow);
  }
}
