import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../process/run.mjs";
import { root } from "./paths.mjs";
import { Problem } from "./problem.mjs";

/**
 * @typedef {{ version?: string, resolved?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }} Entry
 * @typedef {{ packages?: Record<string, Entry> }} Lock
 */

/**
 * Returns whether the installed packages match the lock file. `npm ci` writes its list of installed packages last, so
 * an interrupted installation has none.
 *
 * @param {Lock} wanted `package-lock.json`
 * @param {Lock | undefined} installed `node_modules/.package-lock.json`
 */
export function isInstalled(wanted, installed) {
  const present = installed?.packages ?? {};
  return Object.entries(wanted.packages ?? {}).every(([path, entry]) => {
    // Workspaces have no entry, and packages for other platforms may be missing.
    if (!path.includes("node_modules/") || entry.optional || entry.devOptional || entry.peer) return true;
    const found = present[path];
    return found !== undefined && found.version === entry.version;
  });
}

/** @param {string} path @returns {Lock | undefined} */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Installs the dependencies if they are missing, incomplete or different from the lock file.
 *
 * @param {(line: string) => void} log
 */
export async function ensureDependencies(log) {
  const wanted = readLock(join(root, "package-lock.json"));
  if (!wanted) throw new Problem("package-lock.json is missing or broken: the checkout is incomplete.");
  if (isInstalled(wanted, readLock(join(root, "node_modules", ".package-lock.json")))) return;

  log("installing the dependencies (npm ci)");
  const { npm_execpath: npm } = process.env;
  const [command, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const { code, stdout, stderr, problem } = await run(command, [...first, "ci", "--no-audit", "--no-fund"], {
    cwd: root,
  });
  if (code === 0) return;
  const output = `${stderr}${stdout}`.trim().split("\n").slice(0, 12).join("\n");
  throw new Problem(
    `The dependencies could not be installed${problem ? ` (${problem})` : ""}. npm printed:\n\n${output}\n\n` +
      "Check that the npm registry is reachable (npm ping), then run this again.",
  );
}
