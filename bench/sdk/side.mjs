// One side of the comparison in a process of its own: `node --expose-gc side.mjs <sdk|hand|bare> <create|list> <port>`.
import { createRequire } from "node:module";

const [side, task, port] = process.argv.slice(2);
const base = `http://127.0.0.1:${port}/v1`;
const apiKey = "sandbox_bench";
const AT_ONCE = 16;
const WARM_UP = { create: 10_000, list: 20 };
const MEASURED = { create: 20_000, list: 20 };
const input = { url: "https://www.example.com/some/page", title: "A page", utmSource: "newsletter" };

const wireInput = { url: input.url, title: input.title, utm_source: input.utmSource };

const works = { sdk: sdkWorks, hand: handWorks, bare: bareWorks };
const work = await works[side]();

await times(WARM_UP[task], work[task]);
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const cpuBefore = process.cpuUsage();
const began = performance.now();
await times(MEASURED[task], work[task]);
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

/** The copy of undici that the sdk uses. */
function undici() {
  const { Agent, request } = createRequire(import.meta.resolve("cloudservices-sdk"))("undici");
  const dispatcher = new Agent({ connections: AT_ONCE });
  const headers = { authorization: `Bearer ${apiKey}`, accept: "application/json" };
  return async (path, body) => {
    const response = await request(`${base}${path}`, {
      dispatcher,
      ...(body === undefined
        ? { headers }
        : {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
    });
    return JSON.parse(await response.body.text());
  };
}

/** The same result by hand, without the sdk: camelCase links, one by one. */
async function handWorks() {
  const ask = undici();
  const read = (link) => ({
    id: link.id,
    shortUrl: link.short_url,
    destinationUrl: link.destination_url,
    domain: link.domain,
    slug: link.slug,
    qrCodeUrl: link.qr_code_url,
    clicksCount: link.clicks_count,
    createdAt: link.created_at,
  });
  async function* list() {
    let query = "?limit=100";
    for (;;) {
      const { data, meta } = await ask(`/shortener/links${query}`);
      for (const link of data) yield read(link);
      if (!meta.has_more) return;
      query = `?limit=100&starting_after=${meta.next_cursor}`;
    }
  }
  return {
    create: async () => check(read((await ask("/shortener/links", wireInput)).data).shortUrl),
    list: async () => {
      let seen = 0;
      for await (const link of list()) if (link.shortUrl !== undefined) seen += 1;
      check(seen === 10_000);
    },
  };
}

/** The minimum: nothing is renamed, checked or yielded one by one. */
async function bareWorks() {
  const ask = undici();
  return {
    create: async () => check((await ask("/shortener/links", wireInput)).data.short_url),
    list: async () => {
      let seen = 0;
      let query = "?limit=100";
      for (;;) {
        const { data, meta } = await ask(`/shortener/links${query}`);
        for (const link of data) if (link.short_url !== undefined) seen += 1;
        if (!meta.has_more) break;
        query = `?limit=100&starting_after=${meta.next_cursor}`;
      }
      check(seen === 10_000);
    },
  };
}

function check(fine) {
  if (!fine) throw new Error("the result is not what the service sent");
}
