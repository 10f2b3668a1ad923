// The sdk side by side with bare undici and JSON.parse doing the same work, in alternating rounds.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROUNDS = 5;
const file = (name) => fileURLToPath(new URL(`sdk/${name}`, import.meta.url));

export const title = "sdk: against bare undici and JSON.parse";

/** @returns {Promise<Record<string, string | number>[]>} one row a task */
export async function run() {
  const service = fork(file("service.mjs"));
  const [port] = await once(service, "message");
  try {
    const rows = [];
    for (const task of ["create", "list"]) {
      const sides = { sdk: [], undici: [] };
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const side of round % 2 === 0 ? ["sdk", "undici"] : ["undici", "sdk"]) {
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
  const process = fork(file("side.mjs"), [side, task, String(port)], { execArgv: ["--expose-gc"] });
  const [result] = await once(process, "message");
  await once(process, "exit");
  return result;
}

function rowOf(task, { sdk, undici }) {
  const ratios = sdk.map(({ perSecond }, round) => perSecond / undici[round].perSecond);
  const unit = task === "create" ? "links.create, calls/s" : "10,000 links iterated, times/s";
  return {
    task: unit,
    sdk: round(median(sdk.map(({ perSecond }) => perSecond))),
    undici: round(median(undici.map(({ perSecond }) => perSecond))),
    "sdk / undici": round(median(ratios), 2),
    "sdk rss MB": round(median(sdk.map(({ rss }) => rss))),
    "undici rss MB": round(median(undici.map(({ rss }) => rss))),
    "sdk heap kept MB": round(median(sdk.map(({ kept }) => kept)), 1),
    "undici heap kept MB": round(median(undici.map(({ kept }) => kept)), 1),
  };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function round(value, digits = value < 100 ? 1 : 0) {
  return Number(value.toFixed(digits));
}
