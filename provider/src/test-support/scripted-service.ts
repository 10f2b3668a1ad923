import { createServer, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, vi } from "vitest";
import { handlers } from "../dynamic.js";
import { render } from "./invalid-responses.js";
import { CASES, type KindName, SECRETS } from "./kinds.js";

/*
 * A service whose responses a test sets as raw JSON.
 */

const META = '{"request_id":"req_1","timestamp":1767225600}';

/** The service's responses by request, as JSON. */
export interface Script {
  created: string;
  read: string;
  changed: string;
  listed?: string;
  meta?: string;
}

let script: Script = { created: "{}", read: "{}", changed: "{}" };
let created = false;
let wasDeleted = false;
let reads = 0;

/** Ends a wait that would never end: a rejected read is not retried. */
const MOST_READS = 3;

function respond({ method, url = "" }: IncomingMessage): { status: number; data: string } {
  const isCollection = Object.values(CASES).some(({ collection }) => url.split("?")[0] === collection);
  if (method === "DELETE") {
    wasDeleted = true;
    return { status: 200, data: "null" };
  }
  if (method === "PATCH") return { status: 200, data: script.changed };
  if (method === "POST" || method === "PUT") {
    created = true;
    return { status: 201, data: script.created };
  }
  const isList = isCollection && !url.includes("backup-schedule");
  if (isList) return { status: 200, data: created ? (script.listed ?? "[]") : "[]" };
  reads += 1;
  return { status: wasDeleted ? 404 : reads > MOST_READS ? 403 : 200, data: script.read };
}

const service = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const { status, data } = respond(request);
    const meta = script.meta ?? META;
    response.setHeader("content-type", "application/json");
    response.setHeader("connection", "close");
    response
      .writeHead(status)
      .end(
        status >= 400
          ? `{"status":"error","error":{"code":"${status === 404 ? "RESOURCE_NOT_FOUND" : "FORBIDDEN"}"}}`
          : `{"status":"success","data":${data},"meta":${meta}}`,
      );
  });
});

let baseUrl = "";
let runs = 0;

/** Starts the service for the tests of a file. */
export function useScriptedService(): void {
  beforeAll(async () => {
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const address = service.address();
    if (address === null || typeof address === "string") throw new Error("The service has no port.");
    baseUrl = `http://127.0.0.1:${address.port}/v1`;
    // Without an engine, warnings are printed.
    vi.spyOn(console, "error").mockReturnValue();
  });
  afterAll(() => {
    service.close();
  });
}

/** Returns whether the case created something. */
export const wasCreated = (): boolean => created;

/** Starts a case in a new session, like a new process. */
export async function start(name: KindName, responses: Partial<Script>): Promise<void> {
  const good = render(CASES[name].response);
  script = { created: good, read: good, changed: good, ...responses };
  created = false;
  wasDeleted = false;
  reads = 0;
  const config: Record<string, string> = {
    "cloudservices:apiKey": SECRETS.key,
    "cloudservices:baseUrl": baseUrl,
    "cloudservices:maxRetries": "0",
    "cloudservices:pollInterval": "10",
    "cloudservices:namespace": `run ${++runs}`,
  };
  await handlers[name].configure({ config: { get: (key) => config[key] } });
}
