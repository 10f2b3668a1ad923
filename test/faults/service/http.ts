import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Exchange } from "../evidence/service.js";
import type { HttpResponse, ProxiedRequest, Recorded } from "./service.js";

/** Opens a connection for each request, because a kept one may close just when it is used again. */
const upstream = new Agent({ keepAlive: false });

export function exchangeOf(
  incoming: IncomingMessage,
  text: string,
  known: { index: number; at: number; process: number },
): Recorded {
  const target = (incoming.url ?? "/").replace(/^\/v1/, "");
  const body = jsonOf(text);
  return {
    ...known,
    method: incoming.method ?? "GET",
    target,
    route: routeOf(target),
    tenant: /^Bearer sandbox_([\w-]+)/.exec(incoming.headers.authorization ?? "")?.[1] ?? "unknown",
    requestHeaders: plainHeaders(incoming.headers),
    ...(body !== undefined && { requestBody: body }),
  };
}

/** Replaces the ids in a path. */
const routeOf = (target: string): string =>
  (target.split("?")[0] ?? "").replace(/\/[a-z]+_[A-Za-z0-9]+(?=\/|$)/g, "/:id");

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) plain[name] = String(value);
  return plain;
}

export function outcomeAtService(method: string, response: HttpResponse): NonNullable<Exchange["service"]> {
  const requestId = response.headers["x-request-id"];
  const done = response.status >= 200 && response.status < 300;
  return {
    status: response.status,
    body: response.body,
    committed: done && method !== "GET",
    ...(requestId !== undefined && { requestId }),
  };
}

export function forward(
  origin: URL,
  incoming: IncomingMessage,
  proxied: ProxiedRequest,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const headers = { ...incoming.headers };
    delete headers["content-length"];
    delete headers["transfer-encoding"];
    const body = proxied.body === undefined ? undefined : textOf({ body: proxied.body });
    if (body !== undefined) headers["content-length"] = String(Buffer.byteLength(body));
    const outgoing = request(
      {
        host: origin.hostname,
        port: origin.port,
        path: `/v1${proxied.target}`,
        method: proxied.method,
        headers: { ...headers, host: origin.host, connection: "close" },
        agent: upstream,
      },
      (response) => {
        buffer(response)
          .then((bytes) => {
            const { "content-length": _length, connection: _, ...rest } = plainHeaders(response.headers);
            delete rest["keep-alive"];
            delete rest["transfer-encoding"];
            const text = bytes.toString("utf8");
            resolve({ status: response.statusCode ?? 0, headers: rest, body: jsonOf(text) ?? text });
          })
          .catch(reject);
      },
    );
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

function jsonOf(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const textOf = ({ body }: Pick<HttpResponse, "body">): string =>
  typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);

/** Returns a valid `Retry-After`, in seconds or as a date, as milliseconds. */
export function retryAfterOf({ headers }: Pick<HttpResponse, "headers">, now: number): number | undefined {
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return /^[A-Z][a-z]{2}, /.test(value) && !Number.isNaN(date) ? Math.max(0, date - now) : undefined;
}
