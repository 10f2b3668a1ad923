// Creates servers in a process of its own, when its parent says so: `node one.mjs <servers> <milliseconds each takes>`.
import { once } from "node:events";
import { createRequire } from "node:module";
import { startSandbox } from "cloudservices-sandbox";

const [count, duration] = process.argv.slice(2).map(Number);
const sandbox = await startSandbox({ provisioning: { vpsMs: duration } });
const { handlers } = createRequire(import.meta.url)("pulumi-cloudservices/dynamic");
const { VpsInstance } = handlers;
const settings = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
VpsInstance.configure({ config: { get: (key) => settings[key.replace("cloudservices:", "")] } });

process.send?.("ready");
await once(process, "message");
await Promise.all(Array.from({ length: count }, (_, at) => create(at)));
const ended = Date.now();
const journal = sandbox.journal();
const posted = journal.filter(({ method }) => method === "POST").map(({ time }) => Date.parse(time));
process.send?.({ late: ended - Math.max(...posted) - duration, polls: journal.length - posted.length });
await sandbox.close();
process.disconnect?.();

async function create(at) {
  const urn = `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/cloudservices:VpsInstance::server-${at}`;
  const place = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
  const { inputs, failures } = await VpsInstance.check({}, { ...place, __urn: urn });
  if (failures.length > 0) throw new Error(JSON.stringify(failures));
  await VpsInstance.create(inputs);
}
