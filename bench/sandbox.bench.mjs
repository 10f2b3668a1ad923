// Do the sandbox's memory and response times stay flat as it fills? 10,000 links and 1,000 databases, created over HTTP.
import { startSandbox } from "cloudservices-sandbox";

export const title = "sandbox: 10,000 links and 1,000 databases (simulated engine)";

/** @returns {Promise<Record<string, string | number>[]>} one row a size */
export async function run() {
  const sandbox = await startSandbox({ provisioning: { databaseMs: 0 } });
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
  const send = async (method, path, body) => {
    const response = await fetch(sandbox.baseUrl + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };

  /** Returns the median time of a number of calls, in milliseconds. */
  async function median(count, call) {
    const times = [];
    for (let turn = 0; turn < count; turn++) {
      const began = performance.now();
      await call(turn);
      times.push(performance.now() - began);
    }
    return times.sort((a, b) => a - b)[count >> 1].toFixed(2);
  }

  const link = () => send("POST", "/shortener/links", { url: "https://example.com/a/page" });
  const database = (turn) =>
    send("POST", "/databases", {
      name: `db-${turn}`,
      engine: "postgresql",
      version: "16",
      plan: "db-starter-1",
      region: "eu-west-1",
    });

  await median(300, link); // Warms up.
  let cursor = "";
  const rows = [];
  for (const total of [1000, 5000, 10_000]) {
    while ((await send("GET", "/shortener/links?limit=1")).meta.total_count < total - 200) {
      await Promise.all(Array.from({ length: 100 }, link));
    }
    const create = await median(200, link);
    const first = await median(50, () => send("GET", "/shortener/links?limit=100"));
    for (let page = 0; page < total / 100 - 2; page++) {
      cursor =
        (await send("GET", `/shortener/links?limit=100${cursor && `&starting_after=${cursor}`}`)).meta
          .next_cursor ?? cursor;
    }
    const last = await median(50, () => send("GET", `/shortener/links?limit=100&starting_after=${cursor}`));
    rows.push({ size: `${total} links`, "create ms": create, "first page ms": first, "last page ms": last });
  }
  const first = await median(100, database);
  const all = await median(900, database);
  rows.push({ size: "100 databases", "create ms": first }, { size: "1,000 databases", "create ms": all });
  rows.push({
    size: "resident MB, client included",
    "create ms": (process.memoryUsage().rss / 2 ** 20).toFixed(0),
  });
  await sandbox.close();
  return rows;
}
