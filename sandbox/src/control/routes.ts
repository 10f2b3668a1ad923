import { createReadStream } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { ApiError, errorCodes } from "../core/errors.js";
import { progressionKinds, progressionSchema } from "../core/progressions.js";
import { parseBody, readBody } from "../core/request-body.js";
import { faultSchema } from "../http/faults.js";
import { parseHost } from "../http/hosts.js";
import { maskSecrets } from "../http/journal.js";
import { zoneRecord } from "../services/dns/zone.js";
import { mailSchema } from "../services/inboxes/mail.js";
import { ipInformation } from "../services/ip/information.js";
import { eventNames } from "../services/webhooks/deliveries.js";
import { type Clock, isInstant, timestamp } from "../state/clock.js";
import type { Store } from "../state/store.js";
import type { SandboxControl } from "./control.js";
import type { Feed } from "./dashboard/feed.js";
import { isDashboard, sendDashboard, sendMailPage } from "./dashboard/pages.js";
import { ControlError } from "./resources.js";
import { seedSchema } from "./seed.js";

interface ControlCall {
  readonly control: SandboxControl;
  readonly clock: Clock;
  readonly store: Store;
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

type Handle = (call: ControlCall) => unknown;
type Route = readonly [method: string, path: RegExp, handle: Handle];

const progressBody = z.strictObject({
  kind: z.enum(progressionKinds),
  progression: progressionSchema,
  next: z.int().min(1).optional(),
  tenant: z.string().min(1).optional(),
});
const clockBody = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("freeze"), at: z.iso.datetime({ offset: true }).optional() }),
  z.strictObject({ do: z.literal("resume") }),
  z.strictObject({ do: z.literal("advance"), ms: z.number().min(0).max(3_153_600_000_000) }),
]);
const rateBody = z.strictObject({ requests: z.int().min(1), perMs: z.int().min(1) }).nullable();

const eventBody = z.strictObject({
  tenant: z.string().min(1).default("local"),
  event: z.enum(eventNames),
  data: z.record(z.string(), z.unknown()).default({}),
});

const restoreBody = z.strictObject({ into: z.string().optional() });

function clockState(clock: Clock): unknown {
  return { now: timestamp(clock.now()), frozen: clock.frozen };
}

const journalQuery = z.object({ limit: z.coerce.number().int().min(1).default(10_000) });

/** A route as people write it: `POST /_sandbox/snapshots/:id/restore`. */
function written([method, pattern]: Route): string {
  const path = pattern.source
    .replace(/^\^|\$$/g, "")
    .replaceAll("\\/", "/")
    .replace(/\([^)]*\)/g, ":id");
  return `${method} /_sandbox${path}`;
}

function optional(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) ?? undefined;
}

const routes: readonly Route[] = [
  ["GET", /^\/?$/, () => [...routes.slice(1).map(written), "GET /_sandbox/backups/:id/dump"].sort()],
  [
    "GET",
    /^\/journal$/,
    ({ control, query }) => {
      const [tenant, method, path] = [
        optional(query, "tenant"),
        optional(query, "method"),
        optional(query, "path"),
      ];
      const { limit } = journalQuery.parse({ limit: optional(query, "limit") });
      return control.journal({
        ...(tenant !== undefined && { tenant }),
        ...(method !== undefined && { method }),
        ...(path !== undefined && { path }),
        limit,
      });
    },
  ],
  ["DELETE", /^\/journal$/, ({ control, query }) => control.clearJournal(optional(query, "tenant"))],
  ["POST", /^\/reset$/, ({ control, query }) => control.reset(optional(query, "tenant"))],
  [
    "GET",
    /^\/resources$/,
    ({ control, query }) => {
      const resources = control.resources(optional(query, "tenant"));
      return query.get("masked") === "true" ? maskSecrets(resources) : resources;
    },
  ],
  [
    "GET",
    /^\/inboxes\/(\w+)\/messages$/,
    ({ store, id }) => store.tables.messages.find("inbox", id).sort((a, b) => b.seq - a.seq),
  ],
  [
    "PATCH",
    /^\/resources\/([\w]+)$/,
    ({ control, id, body }) => control.change(id, z.record(z.string(), z.unknown()).parse(body)),
  ],
  ["DELETE", /^\/resources\/([\w]+)$/, ({ control, id }) => control.remove(id)],
  [
    "PUT",
    /^\/progression$/,
    ({ control, body }) => {
      const { kind, progression, next, tenant } = progressBody.parse(body);
      const only = { ...(next !== undefined && { next }), ...(tenant !== undefined && { tenant }) };
      control.progress(kind, progression, only);
    },
  ],
  ["GET", /^\/faults$/, ({ control }) => control.faults.list()],
  ["POST", /^\/faults$/, ({ control, body }) => ({ id: control.faults.add(faultSchema.parse(body)) })],
  ["DELETE", /^\/faults$/, ({ control }) => control.faults.clear()],
  ["DELETE", /^\/faults\/(\w+)$/, ({ control, id }) => control.faults.clear(id)],
  ["GET", /^\/snapshots$/, ({ control }) => control.snapshots.names()],
  ["PUT", /^\/snapshots\/([\w.-]+)$/, ({ control, id }) => control.snapshots.take(id)],
  ["POST", /^\/snapshots\/([\w.-]+)\/restore$/, ({ control, id }) => control.snapshots.restore(id)],
  ["GET", /^\/errors$/, () => errorCodes],
  ["POST", /^\/seed$/, ({ control, body }) => control.seed(seedSchema.parse(body))],
  ["GET", /^\/clock$/, ({ clock }) => clockState(clock)],
  [
    "POST",
    /^\/clock$/,
    async ({ control, clock, body }) => {
      const wish = clockBody.parse(body);
      if (wish.do === "freeze") control.clock.freeze(wish.at === undefined ? undefined : new Date(wish.at));
      else if (wish.do === "resume") control.clock.resume();
      else if (!isInstant(clock.now() + wish.ms))
        throw new ApiError(400, "VALIDATION_ERROR", `ms: no date is ${wish.ms} ms later than now.`);
      else await control.clock.advance(wish.ms);
      return clockState(clock);
    },
  ],
  [
    "POST",
    /^\/mail$/,
    async ({ control, body }) => ({ received: await control.sendMail(mailSchema.parse(body)) }),
  ],
  [
    "PUT",
    /^\/zone$/,
    ({ control, body, query }) => control.setZone(z.array(zoneRecord).parse(body), optional(query, "tenant")),
  ],
  [
    "PUT",
    /^\/ip\/([0-9A-Fa-f.:]+)$/,
    ({ control, id, body, query }) => control.setIp(id, ipInformation.parse(body), optional(query, "tenant")),
  ],
  ["GET", /^\/deliveries$/, ({ control, query }) => control.deliveries(optional(query, "tenant"))],
  [
    "POST",
    /^\/events$/,
    ({ control, body }) => {
      const { tenant, event, data } = eventBody.parse(body);
      control.emit(tenant, event, data);
    },
  ],
  [
    "GET",
    /^\/backups$/,
    ({ control, query }) => {
      const [database, tenant] = [optional(query, "database"), optional(query, "tenant")];
      return control.backups({
        ...(database !== undefined && { database }),
        ...(tenant !== undefined && { tenant }),
      });
    },
  ],
  [
    "POST",
    /^\/backups\/(\w+)\/restore$/,
    async ({ control, id, body }) => {
      const { into } = restoreBody.parse(body ?? {});
      await control.restoreBackup(id, into === undefined ? {} : { into });
    },
  ],
  ["PUT", /^\/rate-limit$/, ({ control, body }) => control.limitRate(rateBody.parse(body) ?? undefined)],
];

/** `/_sandbox/…` and `/health`. No key is asked for, so pages of other origins are refused. */
export function controlRoutes(
  control: SandboxControl,
  about: {
    readonly profile: string;
    /** What is real here and what is simulated. */
    readonly parts: Readonly<Record<string, string>>;
    /** What does not work at the moment, though it should. */
    readonly trouble: () => string | undefined;
    readonly clock: Clock;
    readonly store: Store;
    readonly feed: Feed;
    readonly openApi: unknown;
    readonly durable: () => Promise<void>;
  },
): (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> {
  return async (request, response, url) => {
    const bytes = await readBody(request);
    try {
      refuseOtherOrigins(request);
      if (url.pathname === "/health" || url.pathname === "/_sandbox/about") {
        json(response, 200, {
          status: about.trouble() === undefined ? "ok" : "degraded",
          profile: about.profile,
          parts: about.parts,
          clock: clockState(about.clock),
        });
        return;
      }
      if (request.method === "GET" && isDashboard(url.pathname)) {
        await sendDashboard(response, url.pathname);
        return;
      }
      if (url.pathname === "/_sandbox/live") {
        about.feed.add(response);
        return;
      }
      const message = about.store.tables.messages.get(
        /^\/_sandbox\/messages\/(\w+)\.html$/.exec(url.pathname)?.[1] ?? "",
      );
      if (message) {
        sendMailPage(response, message);
        return;
      }
      const dump = dumpAt(control, url.pathname);
      if (dump !== undefined) {
        response.writeHead(200, { "content-type": "application/sql; charset=utf-8" });
        // Whoever goes away in the middle is told nothing more.
        await pipeline(createReadStream(dump), response).catch(() => response.destroy());
        return;
      }
      if (url.pathname === "/openapi.json") {
        json(response, 200, about.openApi);
        return;
      }
      const path = url.pathname.replace(/^\/_sandbox/, "");
      const found = routes.find(([method, pattern]) => method === request.method && pattern.test(path));
      if (!found)
        throw new ApiError(404, "ROUTE_NOT_FOUND", `There is no control ${request.method} ${url.pathname}.`);
      const [, pattern, handle] = found;
      const id = pattern.exec(path)?.[1] ?? "";
      const body = parseBody(bytes, request.headers["content-type"]);
      const result = await handle({
        control,
        clock: about.clock,
        store: about.store,
        id,
        query: url.searchParams,
        body,
      });
      await about.durable();
      if (request.method !== "GET") about.feed.changed();
      json(response, 200, result ?? {});
    } catch (error) {
      const known = known400(error);
      if (!known) throw error;
      json(response, known.status, { error: { code: known.code, message: known.message } });
    }
  };
}

/** The file that `/_sandbox/backups/<id>/dump` shows. */
function dumpAt(control: SandboxControl, path: string): string | undefined {
  const id = /^\/_sandbox\/backups\/(\w+)\/dump$/.exec(path)?.[1];
  return id === undefined ? undefined : control.backups().find(({ backup_id }) => backup_id === id)?.dump;
}

function refuseOtherOrigins(request: IncomingMessage): void {
  const { origin, host } = request.headers;
  if (origin === undefined || origin === `http://${parseHost(host)}`) return;
  throw new ApiError(403, "FORBIDDEN", "Pages of another origin may not control the sandbox.");
}

const outOfBandCodes = { 400: "VALIDATION_ERROR", 404: "RESOURCE_NOT_FOUND", 409: "CONFLICT" } as const;

function known400(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof z.ZodError) return new ApiError(400, "VALIDATION_ERROR", z.prettifyError(error));
  if (error instanceof ControlError)
    return new ApiError(error.status, outOfBandCodes[error.status], error.message);
  return undefined;
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}
