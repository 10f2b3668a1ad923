import { createServer, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";

export interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Starts a receiver of webhooks. It responds with the statuses in order, and then repeats the last. */
export async function receiver(...statuses: number[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(statuses[received.length - 1] ?? statuses.at(-1) ?? 200, {
      location: "https://example.com",
    });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${Object(server.address()).port}/hooks`, received };
}
