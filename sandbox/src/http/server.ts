import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hostPartOf } from "./hosts.js";

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
export function listener(
  isOwnHost: (host: string) => boolean,
  isShortDomain: (host: string) => boolean,
  handlers: () => Handlers,
  report: (error: unknown) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const host = hostPartOf(request.headers.host);
    const url = URL.canParse(request.url ?? "/", "http://sandbox")
      ? new URL(request.url ?? "/", "http://sandbox")
      : undefined;
    if (host === undefined || url === undefined) {
      refuse(request, response, 400, "The request line or the Host header is malformed.");
      return;
    }
    const { api, control, links } = handlers();
    let handle: Promise<void>;
    if (isShortDomain(host)) handle = links(request, response, url, host);
    else if (!isOwnHost(host)) {
      refuse(request, response, 421, `The sandbox does not answer for the host "${host}".`);
      return;
    } else if (url.pathname === "/v1" || url.pathname.startsWith("/v1/"))
      handle = api(request, response, url);
    else if (
      url.pathname === "/" ||
      url.pathname === "/health" ||
      url.pathname === "/openapi.json" ||
      url.pathname.startsWith("/_sandbox")
    ) {
      handle = control(request, response, url);
    } else handle = links(request, response, url, host);
    handle.catch((error: unknown) => {
      if (!response.destroyed && !response.headersSent)
        refuse(request, response, 500, "The sandbox failed; its own output says why.");
      else response.destroy();
      // A caller that hangs up in the middle of its request is no fault of ours.
      if (!request.destroyed || request.complete) report(error);
    });
  };
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  request.resume();
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${message}\n`);
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
