import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { ApiError } from "../core/errors.js";
import { parseBody, readBody } from "../core/request-body.js";
import { parseHost } from "../http/hosts.js";
import type { Changes } from "./dashboard/changes.js";
import { isDashboard, sendDashboard, sendMailPage } from "./dashboard/pages.js";
import { clockState } from "./environment-operations.js";
import { controlOpenApi } from "./openapi.js";
import type { ControlOperation, ControlTarget } from "./operation.js";
import { controlOperations } from "./operations.js";
import { ControlError } from "./resources.js";
import { saveUpload, temporaryFile } from "./temporary-file.js";

/** What the routes need beside the operations. */
export interface ControlRouteParts extends ControlTarget {
  readonly url: string;
  readonly profile: string;
  /** Which parts are real and which are simulated. */
  readonly parts: Readonly<Record<string, string>>;
  /** What is broken at the moment. */
  readonly trouble: () => string | undefined;
  readonly changes: Changes;
  readonly openApi: () => unknown;
  readonly durable: () => Promise<void>;
}

/**
 * Returns the handler of `/_sandbox/…`, `/health` and the dashboard. It needs no key, so it rejects other origins.
 */
export function controlRoutes(
  parts: ControlRouteParts,
): (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> {
  const pages = pagesOf(parts);
  return async (request, response, url) => {
    try {
      const upload = findOperation(request, url);
      if (upload?.bodyType !== undefined) {
        refuseOtherOrigins(request);
        await runUpload(parts, upload, request, response, url);
        return;
      }
      const bytes = await readBody(request);
      refuseOtherOrigins(request);
      const page = pages.get(url.pathname);
      if (page) page(response);
      else if (request.method === "GET" && isDashboard(url.pathname))
        await sendDashboard(response, url.pathname);
      else if (!sendMail(parts, response, url.pathname)) {
        const body = () => parseBody(bytes, request.headers["content-type"]);
        await runOperation(parts, request, response, url, body);
      }
    } catch (error) {
      const known = asApiError(error);
      if (!known) throw error;
      request.resume();
      json(response, known.status, { error: { code: known.code, message: known.message } });
    }
  };
}

/** Responses that do not depend on the method, by path. */
function pagesOf(parts: ControlRouteParts): ReadonlyMap<string, (response: ServerResponse) => void> {
  const about = (response: ServerResponse) =>
    json(response, 200, {
      status: parts.trouble() === undefined ? "ok" : "degraded",
      profile: parts.profile,
      parts: parts.parts,
      clock: clockState(parts.clock),
    });
  const live = (response: ServerResponse) =>
    json(response, 200, { version: parts.changes.version, ...clockState(parts.clock) });
  return new Map([
    ["/health", about],
    ["/_sandbox/about", about],
    ["/_sandbox/live", live],
    ["/_sandbox/openapi.json", (response) => json(response, 200, controlOpenApi(parts.url))],
    ["/openapi.json", (response) => json(response, 200, parts.openApi())],
  ]);
}

/** Sends a mail as a page. Returns whether the path names one. */
function sendMail({ store }: ControlTarget, response: ServerResponse, path: string): boolean {
  const id = /^\/_sandbox\/messages\/(\w+)\.html$/.exec(path)?.[1] ?? "";
  const message = store.tables.messages.get(id);
  if (message) sendMailPage(response, message);
  return message !== undefined;
}

/** Returns the path of an operation, below `/_sandbox`. */
function operationPath({ pathname }: URL): string {
  return pathname.replace(/^\/_sandbox/, "") || "/";
}

function findOperation({ method }: IncomingMessage, url: URL): ControlOperation | undefined {
  const path = operationPath(url);
  return controlOperations.find((each) => each.method === method && each.pattern.test(path));
}

/** Runs an operation on an uploaded file, which may be larger than memory. */
async function runUpload(
  parts: ControlRouteParts,
  { bodyType }: ControlOperation,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const type = request.headers["content-type"];
  if (type !== undefined && type !== bodyType)
    throw new ApiError(400, "VALIDATION_ERROR", `The Content-Type must be ${bodyType}.`);
  const path = temporaryFile();
  try {
    await saveUpload(request, path);
    await runOperation(parts, request, response, url, () => path);
  } finally {
    await rm(path, { force: true });
  }
}

async function runOperation(
  { control, clock, store, certificate, durable, changes }: ControlRouteParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  body: () => unknown,
): Promise<void> {
  const operation = findOperation(request, url);
  if (!operation)
    throw new ApiError(
      404,
      "ROUTE_NOT_FOUND",
      `There is no control operation ${request.method} ${url.pathname}.`,
    );
  const left = new AbortController();
  response.once("close", () => left.abort());
  const result = await operation.run({
    ...{ control, clock, store, certificate, left: left.signal },
    id: operation.pattern.exec(operationPath(url))?.[1] ?? "",
    query: Object.fromEntries(url.searchParams),
    body: body(),
  });
  if (operation.contentType !== undefined) {
    response.writeHead(200, { "content-type": operation.contentType });
    if (result instanceof Uint8Array) {
      response.end(result);
      return;
    }
    const stream = result instanceof Readable ? result : createReadStream(String(result));
    // A client that disconnects midway needs no error.
    await pipeline(stream, response).catch(() => response.destroy());
    return;
  }
  await durable();
  if (request.method !== "GET") changes.changed();
  json(response, 200, result ?? {});
}

function refuseOtherOrigins(request: IncomingMessage): void {
  const { origin, host } = request.headers;
  if (origin === undefined || origin === `http://${parseHost(host)}`) return;
  throw new ApiError(403, "FORBIDDEN", "Pages of another origin may not control the sandbox.");
}

const outOfBandCodes = { 400: "VALIDATION_ERROR", 404: "RESOURCE_NOT_FOUND", 409: "CONFLICT" } as const;

function asApiError(error: unknown): ApiError | undefined {
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
