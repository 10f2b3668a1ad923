// A service that costs almost nothing, so that the benchmark measures the client: every response is ready-made.
import { createServer } from "node:http";

const LINKS = 10_000;
const PAGE = 100;

const link = (at) => ({
  id: `link_${String(at).padStart(6, "0")}`,
  short_url: `https://s.example/${at}`,
  destination_url: `https://www.example.com/some/page/of/the/shop?item=${at}`,
  domain: "s.example",
  slug: `slug-${at}`,
  qr_code_url: `https://api.example.com/v1/shortener/links/link_${at}/qr.svg`,
  clicks_count: at % 1000,
  created_at: "2030-01-01T00:00:00Z",
});
const envelope = (data, meta = {}) =>
  Buffer.from(
    JSON.stringify({
      status: "success",
      data,
      meta: { request_id: "req_1", timestamp: 1893456000, ...meta },
    }),
  );

const created = envelope(link(1));
const pages = new Map();
for (let from = 0; from < LINKS; from += PAGE) {
  const items = Array.from({ length: PAGE }, (_, at) => link(from + at));
  const more = from + PAGE < LINKS;
  const paging = { has_more: more, next_cursor: more ? items.at(-1).id : null, total_count: LINKS };
  pages.set(from === 0 ? "" : link(from - 1).id, envelope(items, paging));
}

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const isCreate = request.method === "POST";
    const cursor = /starting_after=(\w+)/.exec(request.url ?? "")?.[1] ?? "";
    const body = isCreate ? created : pages.get(cursor);
    response.writeHead(isCreate ? 201 : 200, {
      "content-type": "application/json",
      "content-length": body.length,
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
process.on("disconnect", () => process.exit());
