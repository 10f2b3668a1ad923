// The published core of a generated client, with its default options: its generic requests, retries, timeouts and
// pages. It renames no member and checks no type, and its page class has to name the parameter of the next page.
import { OpenAI } from "openai";
import { AbstractPage } from "openai/core/pagination";

class LinkPage extends AbstractPage {
  constructor(client, response, body, options) {
    super(client, response, body, options);
    this.data = body.data ?? [];
    this.meta = body.meta ?? {};
  }

  getPaginatedItems() {
    return this.data;
  }

  nextPageRequestOptions() {
    if (!this.meta.has_more) return null;
    return { ...this.options, query: { ...this.options.query, starting_after: this.meta.next_cursor } };
  }
}

export function connect({ baseUrl, apiKey }) {
  const client = new OpenAI({ apiKey, baseURL: baseUrl });
  return {
    async create({ utmSource, ...input }) {
      const body = { ...input, utm_source: utmSource };
      return (await client.post("/shortener/links", { body })).data.short_url;
    },
    async list() {
      let seen = 0;
      const links = client.getAPIList("/shortener/links", LinkPage, { query: { limit: 100 } });
      for await (const link of links) if (link.short_url !== undefined) seen += 1;
      return seen;
    },
  };
}
