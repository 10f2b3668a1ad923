import type { IncomingMessage, ServerResponse } from "node:http";

/** How long a browser may remember the response to a preflight, in seconds. */
const MAX_AGE = "600";

/**
 * Returns a handler of cross-origin requests (Fetch, "CORS protocol"). It allows the response to be read by pages of
 * the origins, and returns true where the request was a preflight that it has answered. Without origins it does
 * nothing.
 * @param origins - As browsers send them; `*` allows any.
 */
export function crossOrigin(
  origins: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const allowed = new Set(origins);
  return (request, response) => {
    const { origin } = request.headers;
    if (origin === undefined || !(allowed.has(origin) || allowed.has("*"))) return false;
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("vary", "Origin");
    const method = request.headers["access-control-request-method"];
    if (request.method !== "OPTIONS" || method === undefined) {
      response.setHeader("access-control-expose-headers", "Allow, Date, Retry-After, X-Request-Id");
      return false;
    }
    request.resume();
    response.setHeader("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE");
    response.setHeader("access-control-allow-headers", "Authorization, Content-Type, Idempotency-Key");
    response.setHeader("access-control-max-age", MAX_AGE);
    // Browsers ask a service of the private network whether pages of the public one may use it.
    if (request.headers["access-control-request-private-network"] === "true")
      response.setHeader("access-control-allow-private-network", "true");
    response.writeHead(204).end();
    return true;
  };
}
