// From "ready at the service" to the end of the hook that waits for it, with the hooks alone: the engine's time is not
// part of it.
import { createRequire } from "node:module";
import { startSandbox } from "cloudservices-sandbox";
import { median, round } from "./life.mjs";

/** As many waits at the same time, each with a client of its own. The medians of fewer vary by more than 0.1 s. */
const ROUNDS = Number(process.env["WAITING_ROUNDS"] ?? 101);
const AT_ONCE = 100;
/** Milliseconds between two polls. */
const PAUSE = 1_000;

const { VpsInstance } = createRequire(import.meta.url)("pulumi-cloudservices/dynamic").handlers;

export const title = `waiting: medians of ${ROUNDS} (WAITING_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row a wait */
export async function run() {
  const rows = [];
  for (const about of [2_000, 5_000, 20_000, 30_000]) {
    // The lateness depends on the time since the last poll, so the ends are spread over one pause.
    const durations = Array.from({ length: ROUNDS }, (_, at) =>
      Math.round(about - PAUSE + (PAUSE * (at + 0.5)) / ROUNDS),
    );
    const begun = [];
    for (const duration of durations) begun.push(await begin(1, duration));
    const waits = await Promise.all(begun.map(({ measured }) => measured));
    rows.push(rowOf(`1 server, ready after ${(about - PAUSE) / 1_000} to ${about / 1_000} s`, waits, 600));
  }
  const together = await begin(AT_ONCE, 5_000);
  return [...rows, rowOf(`${AT_ONCE} servers at once, ready after 5 s`, [await together.measured], 1_000)];
}

/** Creates servers at once. Resolves when the requests are on their way, with a promise of what was measured. */
async function begin(count, duration) {
  const sandbox = await startSandbox({ provisioning: { vpsMs: duration } });
  const settings = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
  // Opens a session with a client of its own, which shares no polls with others. A wait keeps the session of its start.
  VpsInstance.configure({ config: { get: (key) => settings[key.replace("cloudservices:", "")] } });
  const checked = [];
  for (let at = 0; at < count; at++) {
    const urn = `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/cloudservices:VpsInstance::server-${at}`;
    const place = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
    const { inputs, failures } = await VpsInstance.check({}, { ...place, __urn: urn });
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    checked.push(inputs);
  }
  return { measured: measure(sandbox, duration, Promise.all(checked.map(VpsInstance.create))) };
}

/** Returns by how much the last hook is later than the last server, and the number of polls. */
async function measure(sandbox, duration, created) {
  try {
    await created;
    const ended = Date.now();
    const journal = sandbox.journal();
    const posted = journal.filter(({ method }) => method === "POST").map(({ time }) => Date.parse(time));
    return { late: ended - Math.max(...posted) - duration, polls: journal.length - posted.length };
  } finally {
    await sandbox.close();
  }
}

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
