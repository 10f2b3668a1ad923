// What the contestants of `peers` do when something goes wrong.
import { findPeers, versions } from "./peers.mjs";

const RESOURCES = 3;

export const title = `peers-faults: ${RESOURCES} links. ${versions}`;

/** @returns {Promise<Record<string, string | number>[]>} one row a fault */
export async function run() {
  const { tutorial, openTofu, ours, problem } = await findPeers(RESOURCES);
  const contestants = { tutorial, ...(openTofu && { OpenTofu: openTofu }), ours };
  const rows = [];
  for (const [fault, resultOf] of Object.entries(faults)) {
    const row = { fault };
    for (const [name, open] of Object.entries(contestants)) row[name] = await resultWith(open, resultOf);
    rows.push(row);
  }
  return problem ? [...rows, { fault: `OpenTofu was not built: ${problem}` }] : rows;
}

/** Each takes a sandbox and a function that runs an operation and returns whether it succeeded. */
const faults = {
  "links too many, after a lost response to a create and a second run": async (sandbox, succeeds) => {
    sandbox.faults.add({ kind: "drop", when: "after", method: "POST", count: 1 });
    await succeeds("create");
    await succeeds("create");
    return sandbox.resources().length - RESOURCES;
  },
  "a create that is answered 429 once, with Retry-After": async (sandbox, succeeds) => {
    sandbox.faults.add({ kind: "rateLimit", retryAfter: 1, method: "POST", count: 1 });
    return (await succeeds("create")) ? "succeeds" : "fails";
  },
  "a refresh with one response of 500": async (sandbox, succeeds) => {
    await succeeds("create");
    sandbox.faults.add({ kind: "status", status: 500, when: "before", method: "GET", count: 1 });
    return (await succeeds("refresh")) ? "succeeds" : "fails";
  },
  "a link that was changed outside, after a refresh and a run": async (sandbox, succeeds) => {
    await succeeds("create");
    const [link] = sandbox.resources();
    sandbox.change(link.id, { destination_url: "https://example.com/changed" });
    await succeeds("refresh");
    await succeeds("no change");
    const { destination_url: url } = sandbox.resources().find(({ id }) => id === link.id).fields;
    return url === link.fields.destination_url ? "as declared" : "still changed";
  },
};

async function resultWith(open, resultOf) {
  const { sandbox, declare, commands, run, close } = await open();
  try {
    declare("first");
    const result = await resultOf(sandbox, async (operation) => (await run(commands[operation])).code === 0);
    if (sandbox.faults.list().some(({ struck }) => struck === 0)) throw new Error("a fault met no request");
    return result;
  } finally {
    await close();
  }
}
