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
 * Whether what is installed is what the lock file says. `npm ci` writes the list of what it installed last of
 * all, so an interrupted one has none.
 *
 * @param {Lock} wanted `package-lock.json`
 * @param {Lock | undefined} installed `node_modules/.package-lock.json`
 */
export function isInstalled(wanted, installed) {
  const present = installed?.packages ?? {};
  return Object.entries(wanted.packages ?? {}).every(([path, entry]) => {
    // The workspaces themselves; and what another platform or nobody needs may be missing.
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
 * Installs the dependencies if they are missing, half installed or not those of the lock file.
 *
 * @param {(line: string) => void} log
 */
export async function ensureDependencies(log) {
  const wanted = readLock(join(root, "package-lock.json"));
  if (!wanted) throw new Problem("package-lock.json is missing or broken: the checkout is not complete.");
  if (isInstalled(wanted, readLock(join(root, "node_modules", ".package-lock.json")))) return;

  log("installing the dependencies (npm ci)");
  const { npm_execpath: npm } = process.env;
  const [command, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const { code, stdout, stderr, problem } = await run(command, [...first, "ci", "--no-audit", "--no-fund"], {
    cwd: root,
  });
  if (code === 0) return;
  const said = `${stderr}${stdout}`.trim().split("\n").slice(0, 12).join("\n");
  throw new Problem(
    `The dependencies could not be installed${problem ? ` (${problem})` : ""}. npm said:\n\n${said}\n\n` +
      "Is the npm registry in reach (npm ping)? Then run this again: a half-finished installation is repeated.",
  );
}
