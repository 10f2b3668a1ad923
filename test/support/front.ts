import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { Service } from "./config.js";
import { closeLater } from "./folder.js";

/** A service in front of another, which answers what the other would never answer. */
export interface Front extends Service {
  /**
   * From now on, requests are refused with this status. A refusal repeats the request and what `knows` returns for
   * its path; where that is nothing, the request is passed on.
   */
  refuse(status: number, knows: (path: string) => readonly string[] | undefined): void;
  /** From now on, every request is passed on. */
  obey(): void;
  /** From now on, the answers to requests that are passed on are changed so. */
  rewrite(change: (answer: string) => string): void;
}

/** Starts it on a free port; it stops at the end of the test file at the latest. */
export async function openFront(behind: Service): Promise<Front> {
  const { origin, pathname } = new URL(behind.baseUrl);
  let refusal: { status: number; knows(path: string): readonly string[] | undefined } | undefined;
  let rewritten = (answer: string) => answer;

  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/" } = request;
    const body = await text(request);
    const authorization = request.headers.authorization ?? "";
    response.setHeader("content-type", "application/json");
    const known = refusal?.knows(url);
    if (refusal && known) {
      const heard = [authorization, authorization.replace("Bearer ", ""), body, ...known];
      const encoded = heard.flatMap((said) => [
        said,
        encodeURIComponent(said),
        Buffer.from(said).toString("base64"),
      ]);
      const error = { code: "VALIDATION_ERROR", message: `Refused: ${encoded.join(" ")}`, field: body };
      response.writeHead(refusal.status).end(JSON.stringify({ status: "error", error }));
      return;
    }
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(origin + url, { method, headers, ...(body && { body }) });
    response.writeHead(answer.status).end(rewritten(await answer.text()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeLater(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    baseUrl: `http://127.0.0.1:${address.port}${pathname}`,
    apiKey: behind.apiKey,
    refuse: (status, knows) => {
      refusal = { status, knows };
    },
    obey: () => {
      refusal = undefined;
    },
    rewrite: (change) => {
      rewritten = change;
    },
  };
}
