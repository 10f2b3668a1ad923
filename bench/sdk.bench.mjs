// The sdk side by side with undici and JSON.parse, in alternating rounds: `hand` produces the same result with the same
// checks by hand, `bare` does the minimum, and `openai` is the core of a generated client.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROUNDS = Number(process.env["SDK_ROUNDS"] ?? 5);
const SIDES = ["sdk", "hand", "bare", "openai"];
const TASKS = {
  create: { what: "links.create, calls/s", least: 0.95 },
  list: { what: "10,000 links iterated, times/s", least: 0.85 },
};
const file = (name) => fileURLToPath(new URL(`sdk/${name}`, import.meta.url));

export const title = `sdk: against undici by hand and openai-node, medians of ${ROUNDS} (SDK_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row a task */
export async function run() {
  const service = fork(file("service.mjs"));
  const [port] = await once(service, "message");
  try {
    const rows = [];
    for (const task of Object.keys(TASKS)) {
      const results = Object.fromEntries(SIDES.map((side) => [side, []]));
      for (let at = 0; at < ROUNDS; at += 1) {
        for (const side of at % 2 === 0 ? SIDES : SIDES.toReversed()) {
          results[side].push(await measured(side, task, port));
        }
      }
      rows.push(rowOf(TASKS[task], results));
    }
    return rows;
  } finally {
    service.disconnect();
  }
}

async function measured(side, task, port) {
  const child = fork(file("measure.mjs"), [side, task, String(port)], { execArgv: ["--expose-gc"] });
  let result;
  child.once("message", (message) => {
    result = message;
  });
  const [code] = await once(child, "exit");
  if (result === undefined) throw new Error(`${side} ${task} exited with ${code} and measured nothing`);
  return result;
}

function rowOf({ what, least }, results) {
  const { sdk } = results;
  const each = (member, digits) =>
    SIDES.map((side) => round(median(results[side].map((one) => one[member])), digits)).join(", ");
  /** The median of the ratios of each round: other programs on the machine disturb neighbours alike. */
  const ratio = (side, member) => median(sdk.map((one, at) => one[member] / results[side][at][member]));
  const ratios = (side) => `${round(ratio(side, "perSecond"), 2)} (${round(ratio(side, "perCpuSecond"), 2)})`;
  return {
    task: what,
    [SIDES.join(", ")]: each("perSecond", 1),
    // In brackets the ratio of the processor time of the client, which other programs disturb less.
    "sdk/hand (CPU)": ratios("hand"),
    target: `>= ${least}`,
    result: ratio("hand", "perSecond") >= least ? "holds" : "MISSED",
    "sdk/bare (CPU)": ratios("bare"),
    "sdk/openai (CPU)": ratios("openai"),
    "rss MB": each("rss", 0),
    "heap kept MB": each("kept", 1),
  };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const round = (value, digits) => Number(value.toFixed(digits));
