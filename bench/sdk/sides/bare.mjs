// The minimum, as a lower bound: nothing is renamed, checked or yielded one by one.
import { requestsTo } from "./request.mjs";

export function connect(options) {
  const request = requestsTo(options);
  const call = async (path, body) => JSON.parse((await request(path, body)).text);
  return {
    create: async ({ utmSource, ...input }) =>
      (await call("/shortener/links", { ...input, utm_source: utmSource })).data.short_url,
    async list() {
      let seen = 0;
      let query = "?limit=100";
      for (;;) {
        const { data, meta } = await call(`/shortener/links${query}`);
        for (const link of data) if (link.short_url !== undefined) seen += 1;
        if (!meta.has_more) return seen;
        query = `?limit=100&starting_after=${meta.next_cursor}`;
      }
    },
  };
}
