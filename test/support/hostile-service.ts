import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { z } from "zod";

interface HostileService {
  readonly baseUrl: string;
  /** Each request as `METHOD target`. */
  readonly requests: readonly string[];
  /** Every received Authorization header. */
  readonly keys: readonly string[];
}

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a service with arbitrary responses, which stops with the test. */
export async function hostileService(respond: Respond): Promise<HostileService> {
  const requests: string[] = [];
  const keys: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    keys.push(request.headers.authorization ?? "");
    request.resume();
    response.on("error", () => {});
    respond(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { baseUrl: `http://127.0.0.1:${Object(server.address()).port}/v1`, requests, keys };
}

/** Sends chunks as fast as the client reads them, up to a size; without one, the body is endless. */
function flood(piece: string | Buffer, bytes: number): Respond {
  const chunk = Buffer.from(piece);
  return (response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      ...(Number.isFinite(bytes) && { "content-length": bytes }),
    });
    let sent = 0;
    const go = () => {
      while (!response.destroyed && sent < bytes) {
        sent += chunk.length;
        if (!response.write(chunk.subarray(0, chunk.length - Math.max(0, sent - bytes)))) {
          response.once("drain", go);
          return;
        }
      }
      if (!response.destroyed) response.end();
    };
    go();
  };
}

/** Responds with this text as the body. */
export function body(text: string | Buffer, headers: Record<string, string> = {}, status = 200): Respond {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(text);
  };
}

export function envelope(data: unknown): string {
  return JSON.stringify({ status: "success", data, meta: {} });
}

const MEBIBYTE = 1024 * 1024;
const block = Buffer.alloc(MEBIBYTE, " ");

/** Bodies that crash a client which reads them without limits. */
export const bodies: Readonly<Record<string, Respond>> = {
  "an endless body": flood(block, Number.POSITIVE_INFINITY),
  "a body of 1 GB": flood(block, 1_000_000_000),
  "a gzip bomb": body(gzipSync(Buffer.alloc(512 * MEBIBYTE)), { "content-encoding": "gzip" }),
  "60 MB of small objects": body(`{"status":"success","data":[${"{},".repeat(20_000_000)}{}]}`),
  "three million levels": body(
    `{"status":"success","data":${"[".repeat(3_000_000)}${"]".repeat(3_000_000)}}`,
  ),
  "ten thousand levels in a member that is not known": body(
    `{"status":"success","data":{"id":"lnk_1","x":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}}`,
  ),
};

const report = z.object({
  ok: z.unknown().optional(),
  error: z.string().optional(),
  code: z.string().optional(),
  resourceId: z.string().optional(),
  polluted: z.unknown().optional(),
  seconds: z.number(),
  /** The peak memory of the process, in MiB. */
  peak: z.number(),
});

/** Runs a fixture in a process of its own, with the default heap size. */
export function inProcess(
  fixture: "call.mjs" | "hook.cjs",
  baseUrl: string,
  ...args: string[]
): Promise<z.output<typeof report>> {
  const file = fileURLToPath(new URL(`../fixtures/hostile/${fixture}`, import.meta.url));
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, HOSTILE_URL: baseUrl }, maxBuffer: 64 * MEBIBYTE };
    execFile(process.execPath, [file, ...args], options, (error, stdout, stderr) => {
      const last = stdout.trim().split("\n").at(-1) ?? "";
      try {
        resolve(report.parse(JSON.parse(last)));
      } catch {
        reject(
          new Error(`${fixture} ended without a report: ${error?.message ?? ""}\n${stderr.slice(-2_000)}`),
        );
      }
    });
  });
}
