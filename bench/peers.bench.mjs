// Links of this provider, and of a dynamic provider as a tutorial writes one.
import { ensureEngine } from "../tools/engine/ensure.mjs";
import { ours, tutorial } from "./contestants.mjs";
import { lifeOf, mediansOf, OPERATIONS, round } from "./life.mjs";

const RESOURCES = Number(process.env["PEERS_RESOURCES"] ?? 100);
const ROUNDS = Number(process.env["PEERS_ROUNDS"] ?? 5);

export const title = `peers: ${RESOURCES} links, medians of ${ROUNDS} (PEERS_RESOURCES, PEERS_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row an operation */
export async function run() {
  const { folder: engineFolder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  const median = await mediansOf(
    {
      tutorial: () => lifeOf({ engineFolder, ...tutorial(RESOURCES) }),
      links: () => lifeOf({ engineFolder, ...ours(RESOURCES) }),
    },
    ROUNDS,
  );
  return OPERATIONS.map((operation) => {
    const both = (what, digits) => {
      const [tutorial, links] = ["tutorial", "links"].map((name) => median(name, operation, what));
      return {
        pair: `${round(tutorial, digits)} / ${round(links, digits)}`,
        ratio: round(links / tutorial, 2),
      };
    };
    const [seconds, cpu, state] = [both("seconds", 1), both("cpu", 1), both("kilobytes", 0)];
    return {
      operation,
      "seconds (tutorial / ours)": seconds.pair,
      ratio: seconds.ratio,
      "CPU seconds": cpu.pair,
      "CPU ratio": cpu.ratio,
      requests: both("requests", 0).pair,
      "state kB": operation === "create" ? state.pair : "",
    };
  });
}
