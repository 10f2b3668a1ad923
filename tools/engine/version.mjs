/**
 * The version of the Pulumi engine that this project is tested with. It is the version to install, and the oldest one
 * to accept from the PATH. `cli/go.mod` names the same version.
 */
export const engineVersion = "3.220.0";

/** The oldest Go that builds the engine (`go` in `cli/go.mod`). */
export const goVersion = "1.25";

/**
 * Parses "v3.220.0", "3.220.0-dev.1" or "go1.26.8"; `undefined` if the text has no version.
 *
 * @param {string} text
 * @returns {[number, number, number] | undefined}
 */
function parseVersion(text) {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)] : undefined;
}

/**
 * Returns whether version `text` is `minimum` or newer; false if it is not a version.
 *
 * @param {string} text
 * @param {string} minimum
 */
export function isAtLeast(text, minimum) {
  const actual = parseVersion(text);
  const least = parseVersion(minimum);
  if (!actual || !least) return false;
  for (const [position, number] of actual.entries()) {
    const difference = number - (least[position] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
