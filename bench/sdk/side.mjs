// One side of the comparison in a process of its own: `node --expose-gc side.mjs <sdk|undici> <create|list> <port>`.
import { createRequire } from "node:module";

const [side, task, port] = process.argv.slice(2);
const base = `http://127.0.0.1:${port}/v1`;
const apiKey = "sandbox_bench";
const AT_ONCE = 16;
const WARM_UP = { create: 4_000, list: 3 };
const MEASURED = { create: 20_000, list: 10 };
const input = { url: "https://www.example.com/some/page", title: "A page", utmSource: "newsletter" };

const works = { sdk: sdkWorks, undici: undiciWorks };
const work = await works[side]();

await times(WARM_UP[task], work[task]);
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const began = performance.now();
await times(MEASURED[task], work[task]);
const seconds = (performance.now() - began) / 1000;
const grown = process.memoryUsage();
globalThis.gc?.();
process.send?.({
  perSecond: MEASURED[task] / seconds,
  rss: grown.rss / 2 ** 20,
  kept: (process.memoryUsage().heapUsed - before) / 2 ** 20,
});
process.disconnect?.();
process.exit();

/** Lists one after the other; creates as many at once as the client allows by default. */
async function times(count, run) {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: task === "list" ? 1 : AT_ONCE }, worker));
}

async function sdkWorks() {
  const { CloudServices } = await import("cloudservices-sdk");
  const client = new CloudServices({ apiKey, baseUrl: base, maxConcurrency: AT_ONCE });
  return {
    create: async () => check((await client.links.create(input)).shortUrl),
    list: async () => {
      let seen = 0;
      for await (const link of client.links.list({ limit: 100 })) if (link.shortUrl !== undefined) seen += 1;
      check(seen === 10_000);
    },
  };
}

async function undiciWorks() {
  // The very copy that the sdk uses.
  const require = createRequire(import.meta.resolve("cloudservices-sdk"));
  const { Agent, request } = require("undici");
  const dispatcher = new Agent({ connections: AT_ONCE });
  const headers = { authorization: `Bearer ${apiKey}`, accept: "application/json" };
  return {
    create: async () => {
      const { body } = await request(`${base}/shortener/links`, {
        method: "POST",
        dispatcher,
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ url: input.url, title: input.title, utm_source: input.utmSource }),
      });
      check(JSON.parse(await body.text()).data.short_url);
    },
    list: async () => {
      let seen = 0;
      let query = "?limit=100";
      for (;;) {
        const { body } = await request(`${base}/shortener/links${query}`, { dispatcher, headers });
        const { data, meta } = JSON.parse(await body.text());
        for (const link of data) if (link.short_url !== undefined) seen += 1;
        if (!meta.has_more) break;
        query = `?limit=100&starting_after=${meta.next_cursor}`;
      }
      check(seen === 10_000);
    },
  };
}

function check(fine) {
  if (!fine) throw new Error("the answer is not what the service sent");
}
