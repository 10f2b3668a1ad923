import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";
import { Agent, type MockAgent } from "undici";
import { systemClock } from "../core/clock.js";
import { type Fetch, sendByFetch } from "../core/fetch-transport.js";
import type { OutgoingRequest } from "../core/request.js";
import { withTimeout } from "../core/timeout.js";
import { dispatch, type Transport } from "../core/transport.js";
import { aPost } from "./requests.js";

const closing: (() => void)[] = [];

/** Closes all servers and connections. Call it after each test. */
export function closeServers(): void {
  for (const close of closing.splice(0)) close();
}

async function listening(server: Server | TcpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  closing.push(() => server.close());
  return `http://127.0.0.1:${address.port}`;
}

/** Starts an HTTP server for one test and returns its origin. */
export async function http(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closing.push(() => server.closeAllConnections());
  return listening(server);
}

/** Starts a TCP server for one test and returns its origin. */
export async function tcp(talk: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listening(
    createTcpServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => {});
      talk(socket);
    }),
  );
}

/** Sends one attempt to a real server. */
export function send(request: OutgoingRequest, agent: Agent | MockAgent = new Agent()) {
  closing.push(() => void (agent instanceof Agent ? agent.destroy() : agent.close()));
  const now = systemClock.now();
  const transport: Transport = (one) => dispatch(agent, one);
  return withTimeout(() => transport, systemClock)({ ...request, deadlineAt: now + request.deadline });
}

/** Sends one attempt to a real server, by a `fetch`. */
export function sendFetched(request: OutgoingRequest, by: Fetch = fetch) {
  const now = systemClock.now();
  const transport: Transport = (one) => sendByFetch(by, one);
  return withTimeout(() => transport, systemClock)({ ...request, deadlineAt: now + request.deadline });
}

export const post = (origin: string, changes: Partial<OutgoingRequest> = {}) =>
  aPost({ origin, body: "{}", ...changes });
