import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { hostileService } from "./hostile-service.js";

/*
 * Responses that are endless, nested too deeply, too slow, or redirects to another host.
 */

const MEBIBYTE = 1024 * 1024;
export type Respond = (response: ServerResponse, data: string) => void;

const start = (response: ServerResponse, data: string, headers: Record<string, string | number> = {}) => {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.write(`{"status":"success","data":${data.slice(0, -1)},"x":`);
};

function flood(response: ServerResponse): void {
  const block = Buffer.alloc(MEBIBYTE, " ");
  const go = () => {
    while (!response.destroyed && response.write(block));
    if (!response.destroyed) response.once("drain", go);
  };
  go();
}

const bomb = gzipSync(Buffer.alloc(512 * MEBIBYTE));

const redirect =
  (status: number): Respond =>
  (response) =>
    response.writeHead(status, { location: `${hostileService.elsewhere}/v1/databases/db_1` }).end();

export interface Hostile {
  readonly respond: Respond;
  /** It begins with the correct response, including the id. */
  readonly showsId?: true;
  readonly said: RegExp;
}

export const HOSTILE_RESPONSES: Readonly<Record<string, Hostile>> = {
  "an endless body": {
    respond(response, data) {
      start(response, data);
      flood(response);
    },
    showsId: true,
    said: /larger than/,
  },
  "a body of 1 GB": {
    respond(response, data) {
      start(response, data, { "content-length": 1_000_000_000 });
      flood(response);
    },
    showsId: true,
    said: /larger than/,
  },
  "a gzip bomb": {
    respond: (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    said: /is not a JSON object/,
  },
  "100,000 levels": {
    respond(response, data) {
      start(response, data);
      response.end(`${'{"x":['.repeat(50_000)}${"]}".repeat(50_000)}}}`);
    },
    showsId: true,
    said: /fewer levels of nesting/,
  },
  "a header of 1 MB": {
    respond: (response, data) => start(response, data, { "x-much": "a".repeat(MEBIBYTE) }),
    said: /the connection broke/,
  },
  "a slow drip": {
    respond(response, data) {
      start(response, data);
      const drip = setInterval(() => response.write(" "), 40);
      response.on("close", () => clearInterval(drip));
    },
    showsId: true,
    said: /no response within the timeout/,
  },
  "a redirect to another host (302)": { respond: redirect(302), said: /redirected/ },
  "a redirect to another host (307)": { respond: redirect(307), said: /redirected/ },
};
