/**
 * Ends the process with one clear line when Node is older than the workspace needs. Imports nothing, so that it
 * also runs where the rest would not even load.
 *
 * @param {string} version `process.version`
 */
export function requireNode(version = process.version) {
  if (rankOf(version) >= rankOf("v20.18.1")) return;
  console.error(
    `This needs Node 20.18.1 or newer, and this is Node ${version}. Get one from https://nodejs.org.`,
  );
  process.exit(1);
}

/** @param {string} version */
function rankOf(version) {
  const [major = 0, minor = 0, patch = 0] = version.slice(1).split(".").map(Number.parseFloat);
  return major * 1e6 + minor * 1e3 + patch;
}
