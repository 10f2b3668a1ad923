import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parsedUrl } from "../core/parsed-url.js";
import { isRepeated, parseHost } from "./hosts.js";

export interface Handlers {
  readonly api: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;
  readonly control: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;
  readonly links: (
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    host: string,
  ) => Promise<void>;
}

/** Returns the listener that routes a request by its Host header (see `hosts.ts`) and then by its path. */
export function dispatcher(
  isOwnHost: (host: string) => boolean,
  isShortDomain: (host: string) => boolean,
  { api, control, links }: Handlers,
  report: (error: unknown) => void,
): Listener {
  return (request, response) => {
    const host = parseHost(request.headers.host);
    const target = `http://sandbox${request.url ?? "/"}`;
    const url = parsedUrl(target);
    if (host === undefined || url === undefined || isRepeated(request, "host")) {
      refuse(request, response, 400, "The request line or the Host header is malformed.");
      return;
    }
    let handle: Promise<void>;
    // The sandbox's own names take precedence over custom domains.
    if (isOwnHost(host)) {
      const part = surfaceOf(url.pathname);
      if (part === "api") handle = api(request, response, url);
      else if (part === "control") handle = control(request, response, url);
      else handle = links(request, response, url, host);
    } else if (isShortDomain(host)) handle = links(request, response, url, host);
    else {
      refuse(request, response, 421, `The sandbox does not serve the host "${host}".`);
      return;
    }
    handle.catch((error: unknown) => {
      if (!response.destroyed && !response.headersSent)
        refuse(request, response, 500, "Internal error; see the sandbox's output.");
      else response.destroy();
      // A client that disconnects midway is not an internal error.
      if (!request.destroyed || request.complete) report(error);
    });
  };
}

function surfaceOf(path: string): "api" | "control" | "links" {
  if (path === "/v1" || path.startsWith("/v1/")) return "api";
  if (["/", "/health", "/openapi.json", "/_sandbox"].includes(path)) return "control";
  return path.startsWith("/_sandbox/") ? "control" : "links";
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  request.resume();
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${message}\n`);
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Accepts requests immediately and holds them until `open` provides a listener. The port must be known first, because
 * the sandbox's own addresses contain it.
 */
export function requestGate(server: Server): { readonly open: (answer: Listener) => void } {
  let held: Array<Parameters<Listener>> = [];
  let answer: Listener = (request, response) => void held.push([request, response]);
  server.on("request", (request, response) => answer(request, response));
  return {
    open(opened) {
      answer = opened;
      // Clients that have disconnected expect no effect.
      for (const [request, response] of held) if (!response.destroyed) opened(request, response);
      held = [];
    },
  };
}

/** Starts listening. Resolves with the address. */
export async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no network address");
  return address;
}

export async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
