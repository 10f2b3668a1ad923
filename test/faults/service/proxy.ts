import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Exchange } from "../evidence/service.js";
import type { Clock } from "../time.js";
import { exchangeOf, forward, outcomeAtService, retryAfterOf, textOf } from "./http.js";
import type {
  ChosenFault,
  DrivenSandbox,
  HttpResponse,
  ProxiedRequest,
  Recorded,
  Service,
} from "./service.js";

/** Opens a proxy in front of a running sandbox. */
export async function openProxy(
  sandbox: DrivenSandbox,
  time: Clock,
  closeSandbox: () => Promise<void>,
): Promise<Service> {
  const underWay = new Set<Promise<unknown>>();

  const exchanges: Recorded[] = [];
  const sockets = new Set<Socket>();
  const keys = new Map<string, string | undefined>();
  let choose: (exchange: Exchange) => ChosenFault | undefined = () => undefined;
  const origin = new URL(sandbox.baseUrl);

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      console.error("campaign proxy:", error);
      incoming.socket.destroy();
    });
  });
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await buffer(incoming)).toString("utf8");
    const exchange = exchangeOf(incoming, text, {
      index: exchanges.length,
      at: time.now,
      process: service.process,
    });
    exchanges.push(exchange);
    response.once("close", () => {
      if (!response.writableFinished && exchange.endedAt === undefined) exchange.abandoned = true;
    });
    const proxied = proxiedRequest(incoming, response, exchange);
    const key = incoming.headers.authorization?.replace("Bearer ", "") ?? "";
    if (keys.has(key)) incoming.headers.authorization = `Bearer ${keys.get(key) ?? "revoked"}`;
    const judged = choose(exchange);
    if (judged) {
      exchange.fault = judged.name;
      await judged.strike(proxied);
      return;
    }
    // A service that is down sends no response.
    const answer = await proxied.forward().catch(() => undefined);
    if (answer) proxied.send(answer);
    else proxied.reset();
  }

  function proxiedRequest(
    incoming: IncomingMessage,
    response: ServerResponse,
    exchange: Recorded,
  ): ProxiedRequest {
    const over = () => {
      exchange.endedAt = time.now;
    };
    const note = (answer: HttpResponse) => {
      exchange.sent = { status: answer.status, headers: answer.headers, body: answer.body };
      const asked = retryAfterOf(answer, time.now);
      if (asked !== undefined) exchange.retryAfter = asked;
    };
    let answered: Promise<HttpResponse> | undefined;
    const proxied: ProxiedRequest = {
      method: exchange.method,
      path: exchange.target.split("?")[0] ?? "",
      route: exchange.route,
      body: exchange.requestBody,
      target: exchange.target,
      sandbox,
      time,
      forward() {
        answered ??= forward(origin, incoming, proxied).then((answer) => {
          exchange.service = outcomeAtService(exchange.method, answer);
          return answer;
        });
        underWay.add(answered);
        return answered;
      },
      send(answer) {
        if (response.destroyed) return;
        note(answer);
        over();
        // Node would send the date of the real clock.
        response.setHeader("date", new Date(time.now).toUTCString());
        response.writeHead(answer.status, answer.headers).end(textOf(answer));
      },
      async sendPartly(answer, share) {
        if (response.destroyed) return;
        note(answer);
        exchange.sent = { status: answer.status, headers: answer.headers, body: answer.body, cut: true };
        const bytes = Buffer.from(textOf(answer));
        response.writeHead(answer.status, { ...answer.headers, "content-length": String(bytes.length) });
        await new Promise<void>((resolve) =>
          response.write(bytes.subarray(0, Math.floor(bytes.length * share)), () => resolve()),
        );
        over();
        incoming.socket.destroy();
      },
      reset() {
        over();
        incoming.socket.resetAndDestroy();
      },
      stall() {
        response.once("close", time.excludeOne());
      },
      plant: (planted) => service.onPlant(planted),
      kill: (whom) => {
        over();
        service.onKill(whom);
      },
    };
    return proxied;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  const service: Service = {
    sandbox,
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    exchanges,
    process: 0,
    onKill: () => undefined,
    onPlant: async () => undefined,
    keys,
    strikeWith: (chosen) => {
      choose = chosen;
    },
    live: () => sandbox.resources().map(({ kind, id, tenant, fields }) => ({ kind, id, tenant, fields })),
    journal: () => sandbox.journal().map((entry) => ({ ...entry })),
    forget() {
      exchanges.length = 0;
      sandbox.clearJournal();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.allSettled(underWay);
      await closeSandbox();
    },
  };
  return service;
}
