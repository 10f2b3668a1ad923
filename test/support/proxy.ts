import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { Service } from "./config.js";
import { closeLater } from "./folder.js";
import { portOf } from "./port-of.js";

/** A proxy of a service that can reject requests and change responses. */
export interface ServiceProxy extends Service {
  /**
   * Rejects later requests with this status. The response repeats the request and what `knows` returns for its path; if
   * `knows` returns nothing, the request passes through.
   */
  reject(status: number, knows: (path: string) => readonly string[] | undefined): void;
  /** Passes all later requests through. */
  passThrough(): void;
  /** Changes the responses to later requests. */
  rewrite(change: (response: string) => string): void;
}

/** Starts a proxy on a free port, which stops at the end of the test file at the latest. */
export async function openProxy(behind: Service): Promise<ServiceProxy> {
  const { origin, pathname } = new URL(behind.baseUrl);
  let rejection: { status: number; knows(path: string): readonly string[] | undefined } | undefined;
  let rewritten = (response: string) => response;

  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/" } = request;
    const body = await text(request);
    const authorization = request.headers.authorization ?? "";
    response.setHeader("content-type", "application/json");
    const known = rejection?.knows(url);
    if (rejection && known) {
      const repeated = [authorization, authorization.replace("Bearer ", ""), body, ...known];
      const encoded = repeated.flatMap((text) => [
        text,
        encodeURIComponent(text),
        Buffer.from(text).toString("base64"),
      ]);
      const error = { code: "VALIDATION_ERROR", message: `Refused: ${encoded.join(" ")}`, field: body };
      response.writeHead(rejection.status).end(JSON.stringify({ status: "error", error }));
      return;
    }
    const headers = { authorization, "content-type": "application/json" };
    const upstream = await fetch(origin + url, { method, headers, ...(body && { body }) });
    response.writeHead(upstream.status).end(rewritten(await upstream.text()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeLater(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    baseUrl: `http://127.0.0.1:${portOf(server)}${pathname}`,
    apiKey: behind.apiKey,
    reject: (status, knows) => {
      rejection = { status, knows };
    },
    passThrough: () => {
      rejection = undefined;
    },
    rewrite: (change) => {
      rewritten = change;
    },
  };
}
