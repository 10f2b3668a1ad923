// The sdk side by side with undici and JSON.parse, in alternating rounds: `hand` produces the same result by hand
// (camelCase links, one after the other), `bare` does the minimum.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROUNDS = 5;
const file = (name) => fileURLToPath(new URL(`sdk/${name}`, import.meta.url));

export const title = "sdk: against undici and JSON.parse";

/** @returns {Promise<Record<string, string | number>[]>} one row a task */
export async function run() {
  const service = fork(file("service.mjs"));
  const [port] = await once(service, "message");
  try {
    const rows = [];
    for (const task of ["create", "list"]) {
      const sides = { sdk: [], hand: [], bare: [] };
      for (let round = 0; round < ROUNDS; round += 1) {
        const order = Object.keys(sides);
        for (const side of round % 2 === 0 ? order : order.reverse()) {
          sides[side].push(await measured(side, task, port));
        }
      }
      rows.push(rowOf(task, sides));
    }
    return rows;
  } finally {
    service.disconnect();
  }
}

async function measured(side, task, port) {
  const child = fork(file("side.mjs"), [side, task, String(port)], { execArgv: ["--expose-gc"] });
  let result;
  child.once("message", (message) => {
    result = message;
  });
  const [code] = await once(child, "exit");
  if (result === undefined) throw new Error(`${side} ${task} exited with ${code} and measured nothing`);
  return result;
}

function rowOf(task, { sdk, hand, bare }) {
  const of = (side, member) => median(side.map((one) => one[member]));
  const ratio = (other, member) => round(median(sdk.map((one, at) => one[member] / other[at][member])), 2);
  return {
    task: task === "create" ? "links.create, calls/s" : "10,000 links iterated, times/s",
    sdk: round(of(sdk, "perSecond")),
    hand: round(of(hand, "perSecond")),
    bare: round(of(bare, "perSecond")),
    "sdk/hand": ratio(hand, "perSecond"),
    "sdk/bare": ratio(bare, "perSecond"),
    // Compares processor time of the client, which other programs on the machine disturb less.
    "sdk/hand CPU": ratio(hand, "perCpuSecond"),
    "sdk/bare CPU": ratio(bare, "perCpuSecond"),
    "rss MB (sdk, hand, bare)": [sdk, hand, bare].map((side) => round(of(side, "rss"))).join(", "),
    "heap kept MB": [sdk, hand, bare].map((side) => round(of(side, "kept"), 1)).join(", "),
  };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function round(value, digits = value < 100 ? 1 : 0) {
  return Number(value.toFixed(digits));
}
