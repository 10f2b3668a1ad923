import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { IHttpRequest, IHttpResponse } from "@stoplight/prism-http";

export type Request = IHttpRequest & { readonly url: { readonly query: Record<string, string | string[]> } };
export type Answer = IHttpResponse;

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

/** What describes one connection or one encoding, and not what is sent. */
const ofConnection = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "keep-alive",
  "transfer-encoding",
]);

const isJson = (type: string | undefined) => type?.startsWith("application/json") ?? false;

/** A request as Prism takes it, its path without that of the base URL. */
export async function readRequest(incoming: IncomingMessage, base: string): Promise<Request> {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://127.0.0.1");
  const method = methods.find((name) => name === incoming.method?.toLowerCase());
  if (!method) throw new Error(`${incoming.method} is no method of HTTP that is known here.`);
  const sent = await text(incoming);
  const body = isJson(incoming.headers["content-type"]) ? parsed(sent) : sent;
  const headers = Object.fromEntries(
    Object.entries(incoming.headers)
      .filter(([name]) => !ofConnection.has(name))
      .map(([name, value]) => [name, String(value)]),
  );
  // Prism writes what it read anew, and asks for the length to know whether there is a body.
  const length = typeof body === "string" ? sent : JSON.stringify(body);
  return {
    method,
    url: {
      path: pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname,
      query: Object.fromEntries(
        [...new Set(searchParams.keys())].map((name) => {
          const [first = "", ...others] = searchParams.getAll(name);
          return [name, others.length > 0 ? [first, ...others] : first];
        }),
      ),
    },
    headers: sent === "" ? headers : { ...headers, "content-length": String(Buffer.byteLength(length)) },
    ...(sent !== "" && { body }),
  };
}

/** What is no JSON stays text, which no schema of an object allows. */
function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}

/** Answers what Prism got from upstream. */
export function sendAnswer(outgoing: ServerResponse, { statusCode, headers = {}, body }: Answer): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!ofConnection.has(name.toLowerCase())) outgoing.setHeader(name, value);
  }
  outgoing.writeHead(statusCode);
  outgoing.end(isJson(headers["content-type"]) ? JSON.stringify(body) : String(body ?? ""));
}
