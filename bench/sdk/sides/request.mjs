// A request by hand, with the copy of undici that the sdk uses.
import { createRequire } from "node:module";

const { Agent, request } = createRequire(import.meta.resolve("cloudservices-sdk"))("undici");

/** @returns {(path: string, body?: unknown) => Promise<{ statusCode: number, text: string }>} */
export function requestsTo({ baseUrl, apiKey, atOnce }) {
  const dispatcher = new Agent({ connections: atOnce });
  const headers = { authorization: `Bearer ${apiKey}`, accept: "application/json" };
  const jsonHeaders = { ...headers, "content-type": "application/json" };
  return async (path, body) => {
    const { statusCode, body: received } = await request(
      baseUrl + path,
      body === undefined
        ? { dispatcher, headers }
        : { dispatcher, headers: jsonHeaders, method: "POST", body: JSON.stringify(body) },
    );
    return { statusCode, text: await received.text() };
  };
}
