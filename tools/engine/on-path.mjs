import { accessSync, constants, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { run } from "../process/run.mjs";
import { isAtLeast } from "./version.mjs";

/** The files that must be in one folder: the engine warns about the other two unless they are beside it. */
export const engineFiles = /** @type {const} */ ([
  "pulumi",
  "pulumi-language-nodejs",
  "pulumi-resource-pulumi-nodejs",
]);

/**
 * Returns the first program of this name on the PATH, links resolved.
 *
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
export function which(name, env) {
  const { PATH = "" } = env;
  for (const folder of PATH.split(delimiter)) {
    if (folder === "") continue;
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return realpathSync(file);
    } catch {
      // Missing or not executable.
    }
  }
  return undefined;
}

/**
 * Returns the output of `pulumi version`, or why there is none. Writes nothing into the user's home directory.
 *
 * @param {string} pulumi
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ version: string } | { refused: string }>}
 */
export async function versionOf(pulumi, env) {
  const home = mkdtempSync(join(tmpdir(), "pulumi-version-"));
  try {
    const { code, stdout, stderr, problem } = await run(pulumi, ["version"], {
      env: { ...env, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "1" },
      timeoutMs: 15_000,
    });
    const version = stdout.trim().replace(/^v/, "");
    if (code === 0 && /^\d+\.\d+\.\d+/.test(version)) return { version };
    const output = (problem ?? (stderr.trim() || stdout.trim())).split("\n")[0];
    return { refused: `does not print its version (${output || `exit code ${code}`})` };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Finds an engine on the PATH that is new enough and complete.
 *
 * @param {string} minimum
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ pulumi: string, folder: string, version: string } | { refused: string }>}
 */
export async function engineOnPath(minimum, env) {
  const pulumi = which("pulumi", env);
  if (!pulumi) return { refused: "no pulumi on the PATH" };
  const found = await versionOf(pulumi, env);
  if ("refused" in found) return { refused: `${pulumi} ${found.refused}` };
  if (!isAtLeast(found.version, minimum)) {
    return { refused: `${pulumi} is version ${found.version}, older than ${minimum}` };
  }
  const folder = dirname(pulumi);
  const missing = engineFiles.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) return { refused: `${pulumi} has no ${missing.join(" and no ")} beside it` };
  return { pulumi, folder, version: found.version };
}
