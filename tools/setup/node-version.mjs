/**
 * Exits with one line if Node is older than the workspace needs. Imports nothing, so that it also runs on a Node that
 * cannot load the other files.
 *
 * @param {string} version `process.version`
 */
export function requireNode(version = process.version) {
  if (rankOf(version) >= rankOf("v20.18.1")) return;
  console.error(
    `Node 20.18.1 or newer is needed, and this is ${version}. Install it from https://nodejs.org.`,
  );
  process.exit(1);
}

/** @param {string} version */
function rankOf(version) {
  const [major = 0, minor = 0, patch = 0] = version.slice(1).split(".").map(Number.parseFloat);
  return major * 1e6 + minor * 1e3 + patch;
}
