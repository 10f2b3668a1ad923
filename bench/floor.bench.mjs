// Links, and the same resources of a provider that does nothing: its class declares the same properties, and its hooks
// return values like the service's without a request. What a run takes beyond that is ours.
import { fileURLToPath } from "node:url";
import { ensureEngine } from "../tools/engine/ensure.mjs";
import { lifeOf, mediansOf, OPERATIONS, round } from "./life.mjs";

const RESOURCES = Number(process.env["FLOOR_RESOURCES"] ?? 300);
const ROUNDS = Number(process.env["FLOOR_ROUNDS"] ?? 5);
const MOST_TIME = 1.1;
const MOST_STATE = 1.15;

export const title = `floor: ${RESOURCES} links, medians of ${ROUNDS} (FLOOR_RESOURCES, FLOOR_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row an operation */
export async function run() {
  const { folder: engineFolder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  const handler = fileURLToPath(new URL("floor/handler.cjs", import.meta.url));
  const median = await mediansOf(
    {
      floor: () => lifeOf({ engineFolder, program: programOf(FLOOR), env: { FLOOR_HANDLER: handler } }),
      links: () =>
        lifeOf({ engineFolder, program: programOf('const { Link } = require("pulumi-cloudservices");') }),
    },
    ROUNDS,
  );
  const compared = (operation, what, most) => {
    const [floor, links] = [median("floor", operation, what), median("links", operation, what)];
    return [
      round(floor, 1),
      round(links, 1),
      round(links / floor, 2),
      links / floor <= most ? "holds" : "MISSED",
    ];
  };
  return OPERATIONS.map((operation) => {
    const [floor, links, ratio, holds] = compared(operation, "seconds", MOST_TIME);
    const [cpuFloor, cpuLinks, cpuRatio] = compared(operation, "cpu", MOST_TIME);
    const [stateFloor, stateLinks, stateRatio, stateHolds] = compared(operation, "kilobytes", MOST_STATE);
    return {
      operation,
      ...{ floor, links, ratio, [`<= ${MOST_TIME}`]: holds },
      ...{ "CPU floor": cpuFloor, "CPU links": cpuLinks, "CPU ratio": cpuRatio },
      requests: median("links", operation, "requests"),
      "state kB": operation === "create" ? `${stateFloor} / ${stateLinks}` : "",
      [`state <= ${MOST_STATE}`]: operation === "create" ? `${stateRatio} ${stateHolds}` : "",
    };
  });
}

/** The class of the provider that does nothing. Like ours, it passes a short constant text instead of a closure. */
const FLOOR = `const pulumi = require("@pulumi/pulumi");
class Link extends pulumi.CustomResource {
  constructor(name, args) {
    super("pulumi-nodejs:dynamic/floor:Link", name, {
      ...{ clicksCount: undefined, createdAt: undefined, domain: undefined, expired: undefined, expiresAt: undefined },
      ...{ passcode: undefined, qrCodeUrl: undefined, shortUrl: undefined, slug: undefined, title: undefined },
      ...{ utmSource: undefined, ...args },
      __provider: "exports.handler=()=>require(process.env.FLOOR_HANDLER)",
    }, { additionalSecretOutputs: ["passcode"] });
  }
}`;

const programOf = (head) => (version) =>
  `${head}
for (let at = 0; at < ${RESOURCES}; at++) new Link(\`link-\${at}\`, { url: \`https://example.com/${version}/\${at}\` });
`;
