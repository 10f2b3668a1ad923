import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Sandbox, startSandbox } from "cloudservices-sandbox";
import type { ApiMode, Exchange, JournalRecord, Live } from "./evidence.js";
import type { Clock } from "./time.js";

/** What the service answered, or what is sent in its place. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON that is written as such, or a text. */
  readonly body: unknown;
}

export type Victim = "provider" | "engine" | "sandbox";

/** What a run asks of a sandbox, in this process or in one of its own. */
export type Driven = Pick<
  Sandbox,
  "baseUrl" | "remove" | "seed" | "progress" | "resources" | "journal" | "clearJournal"
> & {
  change(...given: Parameters<Sandbox["change"]>): unknown;
  readonly faults: Pick<Sandbox["faults"], "add">;
};

/** What somebody else creates. */
export interface Planted {
  readonly kind: "Link" | "Database" | "VpsInstance" | "Inbox" | "Webhook";
  /** The fields in which it is like ours. */
  readonly like: readonly string[];
  /** As the wire spells them. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One request on its way through the proxy, for a fault to do with as it likes. */
export interface Hop {
  readonly method: string;
  readonly path: string;
  readonly route: string;
  /** The request's own body; a fault may replace it before it is forwarded. */
  body: unknown;
  target: string;
  readonly sandbox: Driven;
  readonly time: Clock;
  /** Has the service carry the request out, once. */
  forward(): Promise<Answer>;
  send(answer: Answer): void;
  /** Sends the beginning of it, and cuts the connection. */
  sendCut(answer: Answer, share: number): Promise<void>;
  reset(): void;
  /** Answers nothing, for as long as the provider waits. */
  stall(): void;
  /** Has somebody else create something on the account. */
  plant(planted: Planted): Promise<void>;
  /** Kills the provider, or the engine with it, or the service, which comes back with its data. */
  kill(whom: Victim): void;
}

export type Strike = (hop: Hop) => Promise<void> | void;

/** What is to be done to a request: the name under which it is recorded, and the strike. */
export interface Judged {
  readonly name: string;
  readonly strike: Strike;
}

type Recorded = { -readonly [member in keyof Exchange]: Exchange[member] };

/** A sandbox behind a proxy. */
export interface Service {
  readonly sandbox: Driven;
  readonly baseUrl: string;
  readonly exchanges: readonly Exchange[];
  /** Says what happens to each request from now on. */
  strikeWith(choose: (exchange: Exchange) => Judged | undefined): void;
  /** Numbers the provider's process for the exchanges to come. */
  process: number;
  onKill: (whom: Victim) => void;
  onPlant: (planted: Planted) => Promise<void>;
  /** The keys that the service knows beside its own, and for which of its keys each stands; `undefined` is refused. */
  readonly keys: Map<string, string | undefined>;
  live(): Live[];
  journal(): JournalRecord[];
  /** Forgets what was asked until now. */
  forget(): void;
  close(): Promise<void>;
}

const idle: Record<ApiMode, Sandbox[]> = { conventional: [], documented: [] };

/** Starting one takes longer than emptying it. */
async function takeSandbox(mode: ApiMode): Promise<Sandbox> {
  return idle[mode].pop() ?? startSandbox({ profile: mode });
}

async function giveBack(mode: ApiMode, sandbox: Sandbox): Promise<void> {
  await sandbox.reset();
  idle[mode].push(sandbox);
}

/** Stops the sandboxes that are kept for the next run. */
export async function closeSandboxes(): Promise<void> {
  for (const sandbox of [...idle.conventional.splice(0), ...idle.documented.splice(0)]) await sandbox.close();
}

/** A connection for each request: one that is kept may be closed in the moment in which it is used again. */
const upstream = new Agent({ keepAlive: false });

export async function openService(mode: ApiMode, time: Clock): Promise<Service> {
  const sandbox = await takeSandbox(mode);
  time.govern(sandbox.clock);
  return openProxy(sandbox, time, () => giveBack(mode, sandbox));
}

/** A proxy before a sandbox that is there already. */
export async function openProxy(
  sandbox: Driven,
  time: Clock,
  closeSandbox: () => Promise<void>,
): Promise<Service> {
  const underWay = new Set<Promise<unknown>>();

  const exchanges: Recorded[] = [];
  const sockets = new Set<Socket>();
  const keys = new Map<string, string | undefined>();
  let choose: (exchange: Exchange) => Judged | undefined = () => undefined;
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
    const exchange = recordOf(incoming, text, {
      index: exchanges.length,
      at: time.now,
      process: service.process,
    });
    exchanges.push(exchange);
    response.once("close", () => {
      if (!response.writableFinished && exchange.endedAt === undefined) exchange.abandoned = true;
    });
    const hop = hopOf(incoming, response, exchange);
    const key = incoming.headers.authorization?.replace("Bearer ", "") ?? "";
    if (keys.has(key)) incoming.headers.authorization = `Bearer ${keys.get(key) ?? "revoked"}`;
    const judged = choose(exchange);
    if (judged) {
      exchange.fault = judged.name;
      await judged.strike(hop);
      return;
    }
    // A service that is down sends no response.
    const answer = await hop.forward().catch(() => undefined);
    if (answer) hop.send(answer);
    else hop.reset();
  }

  function hopOf(incoming: IncomingMessage, response: ServerResponse, exchange: Recorded): Hop {
    const over = () => {
      exchange.endedAt = time.now;
    };
    const note = (answer: Answer) => {
      exchange.sent = { status: answer.status, headers: answer.headers, body: answer.body };
      const asked = retryAfterOf(answer, time.now);
      if (asked !== undefined) exchange.retryAfter = asked;
    };
    let answered: Promise<Answer> | undefined;
    const hop: Hop = {
      method: exchange.method,
      path: exchange.target.split("?")[0] ?? "",
      route: exchange.route,
      body: exchange.requestBody,
      target: exchange.target,
      sandbox,
      time,
      forward() {
        answered ??= forwarded(origin, incoming, hop).then((answer) => {
          exchange.service = serviceOf(exchange.method, answer);
          return answer;
        });
        underWay.add(answered);
        return answered;
      },
      send(answer) {
        if (response.destroyed) return;
        note(answer);
        over();
        // Without one of its own, Node would send the machine's.
        response.setHeader("date", new Date(time.now).toUTCString());
        response.writeHead(answer.status, answer.headers).end(textOf(answer));
      },
      async sendCut(answer, share) {
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
        response.once("close", time.ignoreOne());
      },
      plant: (planted) => service.onPlant(planted),
      kill: (whom) => {
        over();
        service.onKill(whom);
      },
    };
    return hop;
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

function recordOf(
  incoming: IncomingMessage,
  text: string,
  known: { index: number; at: number; process: number },
): Recorded {
  const target = (incoming.url ?? "/").replace(/^\/v1/, "");
  const body = jsonOf(text);
  return {
    ...known,
    method: incoming.method ?? "GET",
    target,
    route: routeOf(target),
    tenant: /^Bearer sandbox_([\w-]+)/.exec(incoming.headers.authorization ?? "")?.[1] ?? "unknown",
    requestHeaders: plainHeaders(incoming.headers),
    ...(body !== undefined && { requestBody: body }),
  };
}

/** A path with its ids replaced. */
const routeOf = (target: string): string =>
  (target.split("?")[0] ?? "").replace(/\/[a-z]+_[A-Za-z0-9]+(?=\/|$)/g, "/:id");

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) plain[name] = String(value);
  return plain;
}

function serviceOf(method: string, answer: Answer): NonNullable<Exchange["service"]> {
  const requestId = answer.headers["x-request-id"];
  const done = answer.status >= 200 && answer.status < 300;
  return {
    status: answer.status,
    body: answer.body,
    committed: done && method !== "GET",
    ...(requestId !== undefined && { requestId }),
  };
}

function forwarded(origin: URL, incoming: IncomingMessage, hop: Hop): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...incoming.headers };
    delete headers["content-length"];
    delete headers["transfer-encoding"];
    const body = hop.body === undefined ? undefined : textOf({ body: hop.body });
    if (body !== undefined) headers["content-length"] = String(Buffer.byteLength(body));
    const outgoing = request(
      {
        host: origin.hostname,
        port: origin.port,
        path: `/v1${hop.target}`,
        method: hop.method,
        headers: { ...headers, host: origin.host, connection: "close" },
        agent: upstream,
      },
      (answer) => {
        buffer(answer)
          .then((bytes) => {
            const { "content-length": _length, connection: _, ...rest } = plainHeaders(answer.headers);
            delete rest["keep-alive"];
            delete rest["transfer-encoding"];
            const text = bytes.toString("utf8");
            resolve({ status: answer.statusCode ?? 0, headers: rest, body: jsonOf(text) ?? text });
          })
          .catch(reject);
      },
    );
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

function jsonOf(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const textOf = ({ body }: Pick<Answer, "body">): string =>
  typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);

/** Milliseconds that an answer asks to wait for, in either of the forms that HTTP has. */
function retryAfterOf({ headers }: Pick<Answer, "headers">, now: number): number | undefined {
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return /^[A-Z][a-z]{2}, /.test(value) && !Number.isNaN(date) ? Math.max(0, date - now) : undefined;
}
