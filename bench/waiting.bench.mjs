// From "ready at the service" to the end of the hook that waits for it, in a process with the hooks alone: the engine's
// time is not part of it.
import { createRequire } from "node:module";
import { startSandbox } from "cloudservices-sandbox";
import { median, round } from "./life.mjs";

const ROUNDS = Number(process.env["WAITING_ROUNDS"] ?? 5);
const AT_ONCE = 100;

export const title = `waiting: medians of ${ROUNDS} (WAITING_ROUNDS)`;

/** @returns {Promise<Record<string, string | number>[]>} one row a wait */
export async function run() {
  const rows = [];
  for (const about of [2_000, 5_000, 20_000]) {
    const latencies = [];
    let requests = 0;
    for (let at = 0; at < ROUNDS; at++) {
      // Not multiples of a poll's pause, which would only measure its jitter.
      const duration = Math.round(about * (0.8 + (0.4 * (at + 0.5)) / ROUNDS));
      const { late, polls } = await waitFor(1, duration);
      latencies.push(late);
      requests = Math.max(requests, polls);
    }
    rows.push(rowOf(`1 server, ready after about ${about / 1_000} s`, median(latencies), 600, requests));
  }
  const { late, polls } = await waitFor(AT_ONCE, 5_000);
  return [...rows, rowOf(`${AT_ONCE} servers at once, ready after 5 s`, late, 1_000, polls)];
}

/** Creates servers at once. Returns by how much the last hook is later than the last server, and the polls. */
async function waitFor(count, duration) {
  const sandbox = await startSandbox({ provisioning: { vpsMs: duration } });
  const { handlers } = createRequire(import.meta.url)("pulumi-cloudservices/dynamic");
  const { VpsInstance } = handlers;
  const settings = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
  VpsInstance.configure({ config: { get: (key) => settings[key.replace("cloudservices:", "")] } });
  try {
    const create = async (at) => {
      const urn = `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/cloudservices:VpsInstance::server-${at}`;
      const place = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
      const { inputs, failures } = await VpsInstance.check({}, { ...place, __urn: urn });
      if (failures.length > 0) throw new Error(JSON.stringify(failures));
      await VpsInstance.create(inputs);
    };
    await Promise.all(Array.from({ length: count }, (_, at) => create(at)));
    const ended = Date.now();
    const journal = sandbox.journal();
    const posted = journal.filter(({ method }) => method === "POST").map(({ time }) => Date.parse(time));
    return { late: ended - Math.max(...posted) - duration, polls: journal.length - posted.length };
  } finally {
    await sandbox.close();
  }
}

const rowOf = (task, late, most, polls) => ({
  task,
  "late ms": round(late, 0),
  "at most": most,
  holds: late <= most ? "holds" : "MISSED",
  "polls, at most": polls,
});
