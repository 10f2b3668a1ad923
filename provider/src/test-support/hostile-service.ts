import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { handlers } from "../dynamic.js";
import type { Properties } from "../kernel/definition/properties.js";
import type { Respond } from "./hostile-responses.js";
import { CASES, type KindName, SECRETS } from "./kinds.js";

/*
 * A service that gives one kind of request a hostile response, and correct responses to all others.
 */

/** The requests that get the hostile response. */
export type Struck = "POST" | "PUT" | "GET one" | "GET list" | "PATCH" | "DELETE";

interface HostileService {
  /** The request that gets a hostile response. */
  hostile: { readonly struck: Struck; readonly respond: Respond } | undefined;
  /** The correct response, as JSON. */
  created: string;
  requests: string[];
  /** The requests that followed a redirect to another host. */
  readonly astray: string[];
  /** The URL of the other host. */
  elsewhere: string;
  /** The most memory that this process has used since a test set it. */
  most: number;
}

export const hostileService: HostileService = {
  hostile: undefined,
  created: "",
  requests: [],
  astray: [],
  elsewhere: "",
  most: 0,
};

let isThere = false;
let isDeleted = false;

function sort({ method = "", url = "" }: IncomingMessage): Struck {
  const isCollection = Object.values(CASES).some(({ collection }) => url.split("?")[0] === collection);
  if (method === "GET") return isCollection && !url.includes("backup-schedule") ? "GET list" : "GET one";
  return method === "POST" || method === "PUT" || method === "PATCH" ? method : "DELETE";
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  hostileService.requests.push(`${request.method} ${request.url}`);
  request.resume();
  response.on("error", () => {});
  const struck = sort(request);
  const data = struck === "GET list" ? `[${isThere ? hostileService.created : ""}]` : hostileService.created;
  if (struck === "POST" || struck === "PUT") isThere = true;
  if (hostileService.hostile?.struck === struck) {
    hostileService.hostile.respond(
      response,
      struck === "GET list" ? '{"id":"no_list"}' : hostileService.created,
    );
    return;
  }
  const isMissing = struck === "GET one" && isDeleted;
  if (struck === "DELETE") isDeleted = true;
  const error = '{"status":"error","error":{"code":"RESOURCE_NOT_FOUND"}}';
  const good = `{"status":"success","data":${struck === "DELETE" ? "null" : data},"meta":{}}`;
  response.writeHead(isMissing ? 404 : 200, { "content-type": "application/json" });
  response.end(isMissing ? error : good);
}

const servers: Server[] = [];
async function listening(listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The service has no port.");
  return `http://127.0.0.1:${address.port}`;
}

let baseUrl = "";
let runs = 0;
let watch: NodeJS.Timeout;
export const memory = () => process.memoryUsage().rss;

/** Starts the service for the tests of a file. */
export function useHostileService(): void {
  beforeAll(async () => {
    // Without an engine, warnings are printed.
    vi.spyOn(console, "error").mockReturnValue();
    baseUrl = `${await listening(respond)}/v1`;
    hostileService.elsewhere = await listening((request, response) => {
      hostileService.astray.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.end();
    });
    watch = setInterval(() => {
      hostileService.most = Math.max(hostileService.most, memory());
    }, 10);
  });
  afterAll(() => {
    clearInterval(watch);
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });
  beforeEach(() => {
    hostileService.hostile = undefined;
  });
}

/** Starts a case in a new session, like a new process. */
export async function begin(name: KindName, response: Properties = CASES[name].response): Promise<void> {
  hostileService.created = JSON.stringify(response);
  hostileService.requests = [];
  isThere = false;
  isDeleted = false;
  const config: Record<string, string> = {
    "cloudservices:apiKey": SECRETS.key,
    "cloudservices:baseUrl": baseUrl,
    "cloudservices:maxRetries": "0",
    "cloudservices:pollInterval": "10",
    "cloudservices:requestTimeout": "400",
    "cloudservices:namespace": `run ${++runs}`,
  };
  await handlers[name].configure({ config: { get: (key) => config[key] } });
}
