import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Tries several ways to fill a folder, and returns the result of the first that works; `undefined` if none does.
 *
 * @template T
 * @param {Record<string, () => Promise<T>>} ways
 * @param {object} options
 * @param {string} options.folder emptied after each failure
 * @param {string[]} options.tried receives a line for each failure
 * @param {(line: string) => void} options.log
 * @returns {Promise<{ way: string, value: T } | undefined>}
 */
export async function firstWay(ways, { folder, tried, log }) {
  for (const [way, fill] of Object.entries(ways)) {
    try {
      return { way, value: await fill() };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      tried.push(`${way}: ${reason}`);
      log(`${way} failed: ${reason}`);
      for (const left of readdirSync(folder)) rmSync(join(folder, left), { recursive: true, force: true });
    }
  }
  return undefined;
}
