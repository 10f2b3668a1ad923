// Links, and the same resources of a provider that does nothing: its class declares the same properties, and its hooks
// return values like the service's without a request. What a run takes beyond that is ours.
import { ensureEngine } from "../tools/engine/ensure.mjs";
import { floor, ours } from "./contestants.mjs";
import { lifeOf, mediansOf, OPERATIONS, round } from "./life.mjs";

const RESOURCES = Number(process.env["FLOOR_RESOURCES"] ?? 300);
const ROUNDS = Number(process.env["FLOOR_ROUNDS"] ?? 5);
const MOST_TIME = 1.1;
const MOST_STATE = 1.15;

export const title = `floor: ${RESOURCES} links, medians of ${ROUNDS} (FLOOR_RESOURCES, FLOOR_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row an operation */
export async function run() {
  const { folder: engineFolder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  const median = await mediansOf(
    {
      floor: () => lifeOf({ engineFolder, ...floor(RESOURCES) }),
      links: () => lifeOf({ engineFolder, ...ours(RESOURCES) }),
    },
    ROUNDS,
  );
  const compared = (operation, what, most) => {
    const [least, links] = [median("floor", operation, what), median("links", operation, what)];
    return [
      round(least, 1),
      round(links, 1),
      round(links / least, 2),
      links / least <= most ? "holds" : "MISSED",
    ];
  };
  return OPERATIONS.map((operation) => {
    const [least, links, ratio, holds] = compared(operation, "seconds", MOST_TIME);
    const [cpuFloor, cpuLinks, cpuRatio] = compared(operation, "cpu", MOST_TIME);
    const [stateFloor, stateLinks, stateRatio, stateHolds] = compared(operation, "kilobytes", MOST_STATE);
    return {
      operation,
      ...{ floor: least, links, ratio, [`<= ${MOST_TIME}`]: holds },
      ...{ "CPU floor": cpuFloor, "CPU links": cpuLinks, "CPU ratio": cpuRatio },
      requests: median("links", operation, "requests"),
      "state kB": operation === "create" ? `${stateFloor} / ${stateLinks}` : "",
      [`state <= ${MOST_STATE}`]: operation === "create" ? `${stateRatio} ${stateHolds}` : "",
    };
  });
}
