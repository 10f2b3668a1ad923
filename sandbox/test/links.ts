import { type IncomingMessage, request } from "node:http";
import { z } from "zod";
import type { Sandbox } from "../src/index.js";

export const linkSchema = z.object({
  id: z.string(),
  short_url: z.string(),
  slug: z.string(),
  domain: z.string(),
});

/** Visits a short link without following the redirect. */
export const visit = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: "manual", headers });

/** Returns where a short link leads under a Host header, which `fetch` cannot set. */
export async function locationAt(sandbox: Sandbox, host: string, path: string): Promise<string | undefined> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(sandbox.url + path, { headers: { host } }, resolve)
      .on("error", reject)
      .end();
  });
  response.resume();
  return response.headers.location;
}
