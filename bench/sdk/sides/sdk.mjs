// The sdk, as a program uses it.
import { CloudServices } from "cloudservices-sdk";

export function connect({ baseUrl, apiKey, atOnce }) {
  const client = new CloudServices({ baseUrl, apiKey, maxConcurrency: atOnce });
  return {
    create: async (input) => (await client.links.create(input)).shortUrl,
    async list() {
      let seen = 0;
      for await (const link of client.links.list({ limit: 100 })) if (link.shortUrl !== undefined) seen += 1;
      return seen;
    },
  };
}
