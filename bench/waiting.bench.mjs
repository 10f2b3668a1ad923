// From "ready at the service" to the end of the hook that waits for it, in processes with the hooks alone: the engine's
// time is not part of it.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { median, round } from "./life.mjs";

/** One wait a process, all at the same time. */
const ROUNDS = Number(process.env["WAITING_ROUNDS"] ?? 21);
const AT_ONCE = 100;
/** Milliseconds between two polls. */
const PAUSE = 1_000;

export const title = `waiting: medians of ${ROUNDS} (WAITING_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row a wait */
export async function run() {
  const rows = [];
  for (const about of [2_000, 5_000, 20_000, 30_000]) {
    // The lateness depends on the time since the last poll, so the ends are spread over one pause.
    const durations = Array.from({ length: ROUNDS }, (_, at) =>
      Math.round(about - PAUSE + (PAUSE * (at + 0.5)) / ROUNDS),
    );
    const waits = await waitFor(1, durations);
    rows.push(rowOf(`1 server, ready after ${about / 1_000 - 1} to ${about / 1_000} s`, waits, 600));
  }
  rows.push(rowOf(`${AT_ONCE} servers at once, ready after 5 s`, await waitFor(AT_ONCE, [5_000]), 1_000));
  return rows;
}

/** Creates so many servers in each of several processes. Returns by how much the last hook was late, and the polls. */
async function waitFor(count, durations) {
  const one = fileURLToPath(new URL("waiting/one.mjs", import.meta.url));
  const children = durations.map((duration) => fork(one, [String(count), String(duration)]));
  try {
    // A process that loads its modules would delay the waits of the others.
    await Promise.all(children.map((child) => answerOf(child)));
    return await Promise.all(
      children.map((child) => {
        const answer = answerOf(child);
        child.send("go");
        return answer;
      }),
    );
  } finally {
    for (const child of children) child.kill();
  }
}

async function answerOf(child) {
  const [answer] = await Promise.race([once(child, "message"), once(child, "exit").then(failed)]);
  return answer;
}

const failed = ([code]) => {
  throw new Error(`a process that waits exited with ${code}`);
};

function rowOf(task, waits, most) {
  const late = median(waits.map((wait) => wait.late));
  return {
    task,
    "late ms": round(late, 0),
    "at most": most,
    holds: late <= most ? "holds" : "MISSED",
    "polls, at most": Math.max(...waits.map(({ polls }) => polls)),
  };
}
