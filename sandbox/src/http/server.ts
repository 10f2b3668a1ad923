import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
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

/** Which part answers. The Host header decides first: see `hosts.ts`. */
export function dispatcher(
  isOwnHost: (host: string) => boolean,
  isShortDomain: (host: string) => boolean,
  { api, control, links }: Handlers,
  report: (error: unknown) => void,
): Listener {
  return (request, response) => {
    const host = parseHost(request.headers.host);
    const target = `http://sandbox${request.url ?? "/"}`;
    const url = URL.canParse(target) ? new URL(target) : undefined;
    if (host === undefined || url === undefined || isRepeated(request, "host")) {
      refuse(request, response, 400, "The request line or the Host header is malformed.");
      return;
    }
    let handle: Promise<void>;
    // The sandbox's own names come first: no link can take them away.
    if (isOwnHost(host)) {
      const part = surfaceOf(url.pathname);
      if (part === "api") handle = api(request, response, url);
      else if (part === "control") handle = control(request, response, url);
      else handle = links(request, response, url, host);
    } else if (isShortDomain(host)) handle = links(request, response, url, host);
    else {
      refuse(request, response, 421, `The sandbox does not answer for the host "${host}".`);
      return;
    }
    handle.catch((error: unknown) => {
      if (!response.destroyed && !response.headersSent)
        refuse(request, response, 500, "The sandbox failed; its own output says why.");
      else response.destroy();
      // A caller that hangs up in the middle of its request is no fault of ours.
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
 * Takes requests from the first moment and holds them back until `open` names who answers. A sandbox needs its port
 * before it can answer: its addresses contain it.
 */
export function requestGate(server: Server): { readonly open: (answer: Listener) => void } {
  let held: Array<Parameters<Listener>> = [];
  let answer: Listener = (request, response) => void held.push([request, response]);
  server.on("request", (request, response) => answer(request, response));
  return {
    open(opened) {
      answer = opened;
      // Callers that hung up meanwhile have no use for an answer, and expect nothing to have happened.
      for (const [request, response] of held) if (!response.destroyed) opened(request, response);
      held = [];
    },
  };
}

/** Starts listening; resolves with the address in use. */
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
