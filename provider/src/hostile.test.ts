// @module-tag slow

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { handlers } from "./dynamic.js";
import type { Properties } from "./kernel/definition/properties.js";
import { checked, type HookOutcome, outcomeOf, withoutSecretMarks } from "./testing/hooks.js";
import { CASES, KINDS, type KindName, SECRETS } from "./testing/kinds.js";

/*
 * A service, or something in its place, that means harm: each response of each hook is in turn endless, nested without
 * end, too slow, a redirect to another host and so on; and ids look like paths.
 */

const MEBIBYTE = 1024 * 1024;
/** How much more memory the whole process, this service included, may need at any moment. */
const MOST = 250 * MEBIBYTE;

// Without an engine, warnings are printed.
vi.spyOn(console, "error").mockReturnValue();

type Respond = (response: ServerResponse, data: string) => void;

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

let elsewhere = "";
const redirect =
  (status: number): Respond =>
  (response) =>
    response.writeHead(status, { location: `${elsewhere}/v1/databases/db_1` }).end();

interface Hostile {
  readonly respond: Respond;
  /** It begins with the correct response, including the id. */
  readonly showsId?: true;
  readonly said: RegExp;
}

const HOSTILE: Readonly<Record<string, Hostile>> = {
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
    said: /nested too deeply/,
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

/** The requests that get the hostile response. */
type Struck = "POST" | "PUT" | "GET one" | "GET list" | "PATCH" | "DELETE";

let hostile: { readonly struck: Struck; readonly respond: Respond } | undefined;
let created = "";
let requests: string[] = [];
let isThere = false;
let isDeleted = false;

function sort({ method = "", url = "" }: IncomingMessage): Struck {
  const isCollection = Object.values(CASES).some(({ collection }) => url.split("?")[0] === collection);
  if (method === "GET") return isCollection && !url.includes("backup-schedule") ? "GET list" : "GET one";
  return method === "POST" || method === "PUT" || method === "PATCH" ? method : "DELETE";
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  requests.push(`${request.method} ${request.url}`);
  request.resume();
  response.on("error", () => {});
  const struck = sort(request);
  const data = struck === "GET list" ? `[${isThere ? created : ""}]` : created;
  if (struck === "POST" || struck === "PUT") isThere = true;
  if (hostile?.struck === struck) {
    hostile.respond(response, struck === "GET list" ? '{"id":"no_list"}' : created);
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

const astray: string[] = [];
let baseUrl = "";
let most = 0;
let runs = 0;
let watch: NodeJS.Timeout;
const memory = () => process.memoryUsage().rss;

beforeAll(async () => {
  baseUrl = `${await listening(respond)}/v1`;
  elsewhere = await listening((request, response) => {
    astray.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end();
  });
  watch = setInterval(() => {
    most = Math.max(most, memory());
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
  hostile = undefined;
});

/** Starts a case in a new session, like a new process. */
async function begin(name: KindName, answer: Properties = CASES[name].response): Promise<void> {
  created = JSON.stringify(answer);
  requests = [];
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

/** A resource that exists, in the state. */
async function existing(name: KindName): Promise<{ inputs: Properties; olds: Properties }> {
  hostile = undefined;
  await begin(name);
  const inputs = await checked(name, {});
  const { outs } = await handlers[name].create(inputs);
  return { inputs, olds: withoutSecretMarks(outs) };
}

type Hook = (name: KindName) => Promise<HookOutcome>;

/** Each hook, and the responses that are hostile to it. */
const HOOKS: Readonly<Record<string, { struck: readonly Struck[]; creates?: true; call: Hook }>> = {
  create: {
    struck: ["POST", "PUT"],
    creates: true,
    call: async (name) => outcomeOf(handlers[name].create(await checked(name, {}))),
  },
  "create, which lists first": {
    struck: ["GET list"],
    call: async (name) => outcomeOf(handlers[name].create(await checked(name, {}))),
  },
  "create, which waits": {
    struck: ["GET one"],
    creates: true,
    async call(name) {
      created = JSON.stringify({ ...CASES[name].response, ...CASES[name].pending });
      const customTimeouts = { create: "1s" };
      return outcomeOf(handlers[name].create(await checked(name, { customTimeouts })));
    },
  },
  "create, which adopts": {
    struck: ["GET one"],
    call: async (name) => outcomeOf(handlers[name].create(await checked(name, { adopt: CASES[name].id }))),
  },
  read: {
    struck: ["GET one"],
    async call(name) {
      const { olds } = await existingBehind(name);
      return outcomeOf(handlers[name].read(CASES[name].id, olds));
    },
  },
  update: {
    struck: ["PATCH", "PUT"],
    async call(name) {
      const { inputs, olds } = await existingBehind(name);
      const news = await checked(name, CASES[name].change, inputs);
      return outcomeOf(handlers[name].update(CASES[name].id, olds, news));
    },
  },
  delete: {
    struck: ["DELETE"],
    async call(name) {
      const { olds } = await existingBehind(name);
      return outcomeOf(handlers[name].delete(CASES[name].id, olds).then(() => undefined));
    },
  },
};

/** Slow hooks distribute the responses among the kinds; every kind gets those that show the id. */
const isSlow = (which: string): boolean => /^(create|create, which waits|delete)$/.test(which);
const hostileTo = (name: KindName, which: string) =>
  Object.entries(HOSTILE).filter(
    ([, { showsId }], at) =>
      !isSlow(which) || (which === "create" && showsId) || (at + KINDS.indexOf(name)) % 3 === 0,
  );

/** The same, while the hostile response waits for its turn. */
async function existingBehind(name: KindName) {
  const waiting = hostile;
  const found = await existing(name);
  await begin(name);
  hostile = waiting;
  return found;
}

describe.each(KINDS)("a hostile service causes bounded memory use and one clear error for a %s", (name) => {
  const { id, idMember, pending } = CASES[name];

  it.each(Object.keys(HOOKS))("%s", { timeout: 120_000 }, async (which) => {
    const { struck, creates, call } = HOOKS[which] ?? {};
    if (!struck || !call) throw new Error(which);
    const waits = which === "create, which waits";
    if (waits && !pending) return;
    if (which.endsWith("adopts") && (name === "BackupSchedule" || name === "VpsAction")) return;
    for (const each of struck) {
      for (const [what, { respond, showsId, said }] of hostileTo(name, which)) {
        await begin(name);
        let hits = 0;
        const counted: Respond = (...given) => {
          hits += 1;
          respond(...given);
        };
        hostile = { struck: each, respond: counted };
        most = memory();
        const before = most;
        const { id: kept, message } = await call(name);
        const about = { what, each, message };
        expect({ ...about, more: Math.max(most, memory()) - before < MOST }).toEqual({
          ...about,
          more: true,
        });
        expect({ ...about, astray }).toEqual({ ...about, astray: [] });
        expect(message.length, message).toBeLessThan(2_000);
        if (hits === 0) continue;
        // A lost response is no error if the resource is found later, nor is a list that is not needed.
        if (message !== "" && !waits) expect(message).toMatch(said);
        if (which === "read" || which === "delete")
          expect({ ...about, kept }).not.toMatchObject({ message: "" });
        if (creates && (waits || (showsId && idMember)))
          expect({ ...about, kept }).toEqual({ ...about, kept: id });
      }
    }
  });
});

/** As a service would never give them, each of them perhaps on purpose. */
const IDS = [
  ...["../databases/db_9", "..", ".", "a/../../b", "db_1/backup-schedule", "/etc", "//evil.test/x", "..\\x"],
  ...[
    "http://evil.test/",
    "a?b=c",
    "a#b",
    "a&b=c;d",
    "a\nb",
    "a\r\nHost: evil.test",
    "a\u0000b",
    "%2e%2e",
    "%2e%2e%2fx",
  ],
  ...["__proto__", "constructor", "toString", "😀", "a b", "-", "x".repeat(3_000)],
];

/** Whether a request can only be about this resource of the kind, also behind a proxy that decodes the path. */
function isAbout(target: string, collection: string, id: string): boolean {
  const [path = ""] = (target.split(" ")[1] ?? "").split("?");
  if (path === collection) return true;
  const own = `${collection}/${encodeURIComponent(id)}`;
  if (path !== own && path !== `${own}/actions`) return false;
  return !/[/\\]|^\.{1,2}$/.test(
    decodeURIComponent(path.slice(collection.length + 1).replace(/\/actions$/, "")),
  );
}

describe("an id that could lead to another path", () => {
  const kinds = KINDS.filter((name) => CASES[name].idMember !== undefined);

  it.each(kinds)(
    "of a %s is kept, and no request is sent to another route",
    { timeout: 120_000 },
    async (name) => {
      const { response: answer, idMember = "", collection, change } = CASES[name];
      const handler = handlers[name];
      for (const id of IDS) {
        // A creation rejects an id that no path can contain (answers.test.ts); an older state may have one.
        const isUsable = !/^\.{1,2}$|[/\\]|\p{Cc}/u.test(id);
        await begin(name, isUsable ? { ...answer, [idMember]: id } : answer);
        const inputs = await checked(name, {});
        const end = await outcomeOf(handler.create(inputs));
        if (isUsable) expect({ id: end.id, message: end.message }).toMatchObject({ id });
        const olds = withoutSecretMarks(Object(end.outs));
        const all = isUsable ? [...requests] : [];
        for (const call of [
          () => handler.read(id, olds),
          async () => ({ ...(await handler.update(id, olds, await checked(name, change, inputs))), id }),
          () => handler.delete(id, olds).then(() => undefined),
          async () => handler.create(await checked(name, { adopt: id })),
        ]) {
          await begin(name, { ...answer, [idMember]: id });
          const { message } = await outcomeOf(call());
          expect(message.length).toBeLessThan(6_000);
          all.push(...requests);
        }
        expect({ id, astray: all.filter((target) => !isAbout(target, collection, id)) }).toEqual({
          id,
          astray: [],
        });
      }
    },
  );

  it.each(["BackupSchedule", "VpsAction"] as const)(
    "in the inputs of a %s leads to no other path",
    async (name) => {
      const field = name === "BackupSchedule" ? "databaseId" : "instanceId";
      const [parent = "", suffix = ""] = CASES[name].collection.split(/\/(?:db|vps)_1\//);
      for (const id of IDS) {
        await begin(name);
        const { inputs, failures } = await handlers[name].check(
          {},
          { ...CASES[name].inputs, [field]: id, __urn: "urn:pulumi:a::b::c::d" },
        );
        if (failures.length === 0)
          await outcomeOf(handlers[name].create({ ...withoutSecretMarks(inputs), __provider: "the text" }));
        for (const target of requests) {
          const [, path = ""] = target.split(" ");
          expect([
            `${parent}/${encodeURIComponent(id)}`,
            `${parent}/${encodeURIComponent(id)}/${suffix}`,
          ]).toContain(path);
          expect(decodeURIComponent(path)).not.toMatch(/\.\.[/\\]/);
        }
      }
    },
  );
});
