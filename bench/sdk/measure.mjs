// Measures one side in a process of its own: `node --expose-gc measure.mjs <side> <create|list> <port>`.
const AT_ONCE = 16;
// Enough requests for Node to compile what they run, on every side: 50 lists are 5,000 requests.
const WARM_UP = { create: 10_000, list: 50 };
const MEASURED = { create: 20_000, list: 30 };
const LINKS = 10_000;

const [side, task, port] = process.argv.slice(2);
const { connect } = await import(new URL(`sides/${side}.mjs`, import.meta.url).href);
const { create, list } = await connect({
  baseUrl: `http://127.0.0.1:${port}/v1`,
  apiKey: "sandbox_bench",
  atOnce: AT_ONCE,
});
const input = { url: "https://www.example.com/some/page", title: "A page", utmSource: "newsletter" };
const work = {
  create: async () => check((await create(input)) !== undefined),
  list: async () => check((await list()) === LINKS),
}[task];

// What stays in memory is there after the first requests.
await times(WARM_UP[task] / 5);
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
// After the collection, because it discards compiled code whose objects have gone.
await times(WARM_UP[task]);
const cpuBefore = process.cpuUsage();
const began = performance.now();
await times(MEASURED[task]);
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);
const grown = process.memoryUsage();
globalThis.gc?.();
process.send?.({
  perSecond: MEASURED[task] / seconds,
  perCpuSecond: MEASURED[task] / ((user + system) / 1e6),
  rss: grown.rss / 2 ** 20,
  kept: (process.memoryUsage().heapUsed - before) / 2 ** 20,
});
process.disconnect?.();
process.exit();

/** Lists sequentially; creates with the default concurrency of the client. */
async function times(count) {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: task === "list" ? 1 : AT_ONCE }, worker));
}

function check(isRight) {
  if (!isRight) throw new Error("the result is not what the service sent");
}
