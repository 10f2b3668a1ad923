// 1,000 links on the whole engine, against a service that allows 50 requests a second, and against one that also fails
// 2 % of them at random: half of the failures before the request takes effect, half after it. Links, because their slug
// identifies them after a lost response; a creation of a kind without unique names would stop instead.
import { ensureEngine } from "../tools/engine/ensure.mjs";
import { watchProvider } from "./provider-memory.mjs";
import { openStack } from "./stack.mjs";

const RESOURCES = Number(process.env["LOAD_RESOURCES"] ?? 1_000);
const SEED = Number(process.env["LOAD_SEED"] ?? 1);
const LIMIT = { requests: 50, perMs: 1_000 };
const FAILING = 0.02;
const MOST_RATIO = 1.1;
const MOST_REFUSED = 0.05;
const MOST_MEGABYTES = 250;

export const title = `load: ${RESOURCES} links, ${LIMIT.requests} requests a second, without failures and with ${FAILING * 100} % (LOAD_SEED=${SEED})`;

/** @returns {Promise<Record<string, string | number>[]>} one row for each operation, at the limit and with failures */
export async function run() {
  const engine = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  // The target compares the time from the first request to the last with what that many requests take at the limit, or
  // with the time of engine and program without limit and faults if that is longer. What engine and program do before
  // the first request depends on neither.
  const free = await measured(engine, {});
  const limited = await measured(engine, { rateLimit: LIMIT });
  const failing = await measured(engine, { rateLimit: LIMIT }, FAILING);
  return [...rowsOf("", limited, free), ...rowsOf(`, ${FAILING * 100} % failing`, failing, free)];
}

function rowsOf(suffix, loaded, free) {
  return loaded.map((one, at) => {
    const limitAlone = one.requests / (LIMIT.requests / (LIMIT.perMs / 1_000));
    const withoutLimit = free[at]?.sending ?? 0;
    const ratio = one.sending / Math.max(limitAlone, withoutLimit);
    const refused = one.refused / one.requests;
    const holds =
      one.code === 0 && ratio <= MOST_RATIO && refused <= MOST_REFUSED && one.megabytes < MOST_MEGABYTES;
    return {
      operation: `${one.operation}${suffix}`,
      errors: one.code === 0 ? "none" : `exit code ${one.code}`,
      requests: one.requests,
      "429 %": round(100 * refused, 1),
      "faults struck": one.struck,
      seconds: round(one.seconds, 1),
      "of it, first to last request": round(one.sending, 1),
      "limit alone": round(limitAlone, 1),
      "without limit": round(withoutLimit, 1),
      "ratio to longer": round(ratio, 2),
      "provider MB": round(one.megabytes),
      [`<= ${MOST_RATIO}, 429 <= ${MOST_REFUSED * 100} %, < ${MOST_MEGABYTES} MB`]: holds
        ? "holds"
        : "MISSED",
    };
  });
}

/** Runs up, refresh and destroy of one stack. */
async function measured(engine, service, failing = 0) {
  const { home, sandbox, write, pulumi, close } = await openStack("load", {
    engineFolder: engine.folder,
    service,
    // The engine writes its whole state after each step, which at this size takes longer than all requests. Skip that
    // unless LOAD_CHECKPOINTS=1; the column "without limit" shows its cost.
    env:
      process.env["LOAD_CHECKPOINTS"] === "1"
        ? {}
        : { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" },
  });
  try {
    write("index.js", program);
    if (failing > 0) fail(sandbox, failing);
    const rows = [];
    for (const operation of ["up", "refresh", "destroy"]) {
      sandbox.clearJournal();
      const struckBefore = struckOf(sandbox);
      const watch = watchProvider(home);
      const began = performance.now();
      const { code, stdout, stderr } = await pulumi([operation, "--yes", "--skip-preview"]);
      const seconds = (performance.now() - began) / 1_000;
      const journal = sandbox.journal();
      if (code !== 0) console.error(`${operation} failed:\n${(stdout + stderr).slice(-4_000)}`);
      rows.push({
        ...{ operation, code, seconds, sending: sendingIn(journal) },
        requests: journal.length,
        refused: journal.filter(({ status }) => status === 429).length,
        struck: struckOf(sandbox) - struckBefore,
        megabytes: watch.end(),
      });
      const live = sandbox.resources().length;
      const expected = operation === "destroy" ? 0 : RESOURCES;
      if (live !== expected)
        throw new Error(`After ${operation}, the service has ${live} links, not ${expected}.`);
    }
    return rows;
  } finally {
    await close();
  }
}

const program = `const { Link } = require("pulumi-cloudservices");
for (let at = 0; at < ${RESOURCES}; at++) new Link(\`link-\${at}\`, { url: \`https://example.com/\${at}\` });
`;

/** Returns the seconds from the first request to the last. */
function sendingIn(journal) {
  const times = journal.map(({ time }) => Date.parse(time));
  return (Math.max(...times) - Math.min(...times)) / 1_000;
}

/** Adds faults of four kinds, which together affect the given share of the requests. */
function fail(sandbox, failing) {
  const sorts = [
    { kind: "status", status: 503, when: "before" },
    { kind: "drop", when: "before" },
    { kind: "status", status: 500, when: "after" },
    { kind: "drop", when: "after" },
  ];
  // The first matching rule applies, so each rule sees only the requests that earlier rules let pass.
  for (const [at, sort] of sorts.entries()) {
    const share = failing / sorts.length;
    sandbox.faults.add({ ...sort, probability: share / (1 - at * share), seed: SEED * 10 + at });
  }
}

function struckOf(sandbox) {
  return sandbox.faults.list().reduce((sum, { struck }) => sum + struck, 0);
}

function round(value, digits = 0) {
  return Number(value.toFixed(digits));
}
