import { accessSync, constants, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { run } from "../process/run.mjs";
import { isAtLeast } from "./version.mjs";

/** What has to stand in one folder: the engine finds the other two without a warning only beside itself. */
export const engineFiles = /** @type {const} */ ([
  "pulumi",
  "pulumi-language-nodejs",
  "pulumi-resource-pulumi-nodejs",
]);

/**
 * The first program of this name on the PATH, links resolved.
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
      // Not here, or not to be run.
    }
  }
  return undefined;
}

/**
 * What `pulumi version` says, or why it says nothing. Writes nothing into the user's home directory.
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
    const said = (problem ?? (stderr.trim() || stdout.trim())).split("\n")[0];
    return { refused: `does not tell its version (${said || `exit code ${code}`})` };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Looks for an engine on the PATH that is new enough and complete.
 *
 * @param {string} minimum
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ pulumi: string, folder: string, version: string } | { refused: string }>}
 */
export async function engineOnPath(minimum, env) {
  const pulumi = which("pulumi", env);
  if (!pulumi) return { refused: "no pulumi on the PATH" };
  const told = await versionOf(pulumi, env);
  if ("refused" in told) return { refused: `${pulumi} ${told.refused}` };
  if (!isAtLeast(told.version, minimum)) {
    return { refused: `${pulumi} is version ${told.version}, older than ${minimum}` };
  }
  const folder = dirname(pulumi);
  const missing = engineFiles.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) return { refused: `${pulumi} has no ${missing.join(" and no ")} beside it` };
  return { pulumi, folder, version: told.version };
}
