import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { portOf } from "../../support/port-of.js";
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
  const inFlight = new Set<Promise<unknown>>();

  const exchanges: Recorded[] = [];
  const sockets = new Set<Socket>();
  const keys = new Map<string, string | undefined>();
  let choose: (exchange: Exchange) => ChosenFault | undefined = () => undefined;
  const origin = new URL(sandbox.baseUrl);

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
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

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const text = (await buffer(incoming)).toString("utf8");
    const exchange = exchangeOf(incoming, text, {
      index: exchanges.length,
      at: time.now,
      process: service.process,
    });
    exchanges.push(exchange);
    outgoing.once("close", () => {
      if (!outgoing.writableFinished && exchange.endedAt === undefined) exchange.abandoned = true;
    });
    const proxied = proxiedRequest(incoming, outgoing, exchange);
    const key = incoming.headers.authorization?.replace("Bearer ", "") ?? "";
    if (keys.has(key)) incoming.headers.authorization = `Bearer ${keys.get(key) ?? "revoked"}`;
    const judged = choose(exchange);
    if (judged) {
      exchange.fault = judged.name;
      await judged.strike(proxied);
      return;
    }
    // A service that is down sends no response.
    const response = await proxied.forward().catch(() => undefined);
    if (response) proxied.send(response);
    else proxied.reset();
  }

  function proxiedRequest(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    exchange: Recorded,
  ): ProxiedRequest {
    const over = () => {
      exchange.endedAt = time.now;
    };
    const note = (response: HttpResponse) => {
      exchange.sent = { status: response.status, headers: response.headers, body: response.body };
      const asked = retryAfterOf(response, time.now);
      if (asked !== undefined) exchange.retryAfter = asked;
    };
    let forwarded: Promise<HttpResponse> | undefined;
    const proxied: ProxiedRequest = {
      method: exchange.method,
      path: exchange.target.split("?")[0] ?? "",
      route: exchange.route,
      body: exchange.requestBody,
      target: exchange.target,
      sandbox,
      time,
      forward() {
        forwarded ??= forward(origin, incoming, proxied).then((response) => {
          exchange.service = outcomeAtService(exchange.method, response);
          return response;
        });
        inFlight.add(forwarded);
        return forwarded;
      },
      send(response) {
        if (outgoing.destroyed) return;
        note(response);
        over();
        // Node would send the date of the real clock.
        outgoing.setHeader("date", new Date(time.now).toUTCString());
        outgoing.writeHead(response.status, response.headers).end(textOf(response));
      },
      async sendPartly(response, share) {
        if (outgoing.destroyed) return;
        note(response);
        exchange.sent = {
          status: response.status,
          headers: response.headers,
          body: response.body,
          cut: true,
        };
        const bytes = Buffer.from(textOf(response));
        outgoing.writeHead(response.status, { ...response.headers, "content-length": String(bytes.length) });
        await new Promise<void>((resolve) =>
          outgoing.write(bytes.subarray(0, Math.floor(bytes.length * share)), () => resolve()),
        );
        over();
        incoming.socket.destroy();
      },
      reset() {
        over();
        incoming.socket.resetAndDestroy();
      },
      stall() {
        outgoing.once("close", time.excludeOne());
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
  const service: Service = {
    sandbox,
    baseUrl: `http://127.0.0.1:${portOf(server)}/v1`,
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
      await Promise.allSettled(inFlight);
      await closeSandbox();
    },
  };
  return service;
}
