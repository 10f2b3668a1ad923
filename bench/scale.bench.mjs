// How our CPU time for each resource grows with the size of a stack: the time above a provider that does nothing, because
// the engine's own grows, too. The engine writes its state only at the end here; else that takes most of the time.
import { ensureEngine } from "../tools/engine/ensure.mjs";
import { floor, ours } from "./contestants.mjs";
import { lifeOf, mediansOf, OPERATIONS, round } from "./life.mjs";

const SIZES = (process.env["SCALE_SIZES"] ?? "300,1000,3000").split(",").map(Number);
const ROUNDS = Number(process.env["SCALE_ROUNDS"] ?? 5);
const MOST_GROWTH = 2;
/** The growth is measured from at least this many milliseconds for each link: less is the noise of two runs. */
const LEAST_MS = 0.5;
const MOST_MEGABYTES = 200;

export const title = `scale: ${SIZES.join(", ")} links, medians of ${ROUNDS} (SCALE_SIZES, SCALE_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row an operation and size */
export async function run() {
  const { folder: engineFolder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  const late = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };
  const live = ({ program, env }) => lifeOf({ engineFolder, program, env: { ...env, ...late } });
  const medians = [];
  for (const size of SIZES) {
    const sides = { floor: () => live(floor(size)), links: () => live(ours(size)) };
    medians.push(await mediansOf(sides, ROUNDS));
  }
  const each = (operation, at) => {
    const [least, links] = ["floor", "links"].map((name) => medians[at](name, operation, "cpu"));
    return (1_000 * (links - least)) / SIZES[at];
  };
  return OPERATIONS.flatMap((operation) =>
    SIZES.map((size, at) => {
      const above = each(operation, at);
      const growth = above / Math.max(LEAST_MS, each(operation, 0));
      const megabytes = medians[at]("links", operation, "megabytes");
      return {
        operation,
        links: size,
        seconds: round(medians[at]("links", operation, "seconds"), 1),
        "CPU floor": round(medians[at]("floor", operation, "cpu"), 1),
        "CPU ours": round(medians[at]("links", operation, "cpu"), 1),
        "above, ms each": round(above, 1),
        growth: above <= 0 ? "below the floor" : round(growth, 2),
        "MB floor": round(medians[at]("floor", operation, "megabytes"), 0),
        "MB ours": round(megabytes, 0),
        [`<= ${MOST_GROWTH}, < ${MOST_MEGABYTES} MB`]:
          growth <= MOST_GROWTH && megabytes < MOST_MEGABYTES ? "holds" : "MISSED",
      };
    }),
  );
}
