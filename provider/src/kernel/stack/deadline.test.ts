// @module-tag slow

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { handlers } from "../../dynamic.js";
import type { Properties } from "../definition/properties.js";
import { handlerText } from "../engine/dynamic/handler-text.js";

type Handlers = typeof handlers;
type Answer = object | "never";

/** A service with scripted responses. The process has one session, so all tests share its address. */
const service = {
  requests: [] as string[],
  answer: (_request: string, _body: Properties): Answer | Promise<Answer> => "never",
};

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const asked = `${request.method} ${request.url?.replace(/\?.*/, "").replace("/v1", "")}`;
  service.requests.push(asked);
  reply(response, await service.answer(asked, body === "" ? {} : JSON.parse(body)));
});

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === "never") return;
  const meta = Array.isArray(answer) ? { has_more: false, total_count: answer.length } : {};
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({ status: "success", data: answer, meta: { timestamp: 1_800_000_000, ...meta } }),
  );
}

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const config = new Map([
    ["cloudservices:apiKey", "key"],
    ["cloudservices:baseUrl", `http://127.0.0.1:${address.port}/v1`],
    ["cloudservices:pollInterval", "20"],
  ]);
  await handlers.Link.configure({ config });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  service.requests = [];
  service.answer = () => "never";
});

const LIMIT = "2s";
let number = 0;

/** Returns the inputs as the engine passes them to an operation with this timeout. */
async function checked(kind: keyof Handlers, inputs: Properties, operation = "create"): Promise<Properties> {
  number += 1;
  const urn = `urn:pulumi:dev::test::pulumi-nodejs:dynamic/cloudservices:${kind}::test-${number}`;
  const news = {
    ...inputs,
    customTimeouts: { [operation]: LIMIT },
    __urn: urn,
    __provider: handlerText(kind),
  };
  const { inputs: given, failures } = await handlers[kind].check({}, news);
  expect(failures).toEqual([]);
  // Like the engine: unwraps the secrets, and restores the handler text.
  return { ...given, ...inputs, __provider: news.__provider };
}

interface Failure {
  readonly message: string;
  readonly id?: string;
  readonly properties?: Properties;
}

async function failing(work: Promise<unknown>): Promise<Failure> {
  const startedAt = performance.now();
  const failure = await work.then(
    () => {
      throw new Error("It was expected to fail.");
    },
    (error: Failure) => error,
  );
  // Not the 10 minutes that a call has by itself, nor the 60 seconds of an attempt.
  expect(performance.now() - startedAt).toBeLessThan(40_000);
  return failure;
}

const database = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" };
const webhook = { url: "https://example.com/", events: ["vps.snapshot.completed"], secret: "a-secret" };

describe("the timeout of an operation limits", () => {
  it("a creation without a response, which is sent once and reports what may exist", async () => {
    service.answer = (request) => (request.startsWith("GET") ? [] : "never");
    const creations = [
      ["Inbox", {}, "POST /tempmail/inboxes"],
      ["Webhook", webhook, "POST /webhooks"],
      ["Link", { url: "https://example.com/" }, "POST /shortener/links"],
    ] as const;
    const lost = creations.map(async ([kind, inputs, post]) => {
      const { message, id } = await failing(handlers[kind].create(await checked(kind, inputs)));
      expect(message).toMatch(/\[CREATE_OUTCOME_UNKNOWN\]/);
      expect(id).toBeUndefined();
      expect(service.requests.filter((request) => request === post)).toHaveLength(1);
    });
    await Promise.all(lost);
  });

  it("a creation whose result is found after the deadline and kept", async () => {
    const made: Properties[] = [];
    service.answer = (request, { name }) => {
      if (request === "POST /databases") {
        made.push({ id: "db_1", name, engine: "postgresql", version: "16", status: "provisioning" });
        return "never";
      }
      return request === "GET /databases" ? made : (made[0] ?? {});
    };
    const { message, id, properties } = await failing(
      handlers.Database.create(await checked("Database", database)),
    );
    expect(message).toContain("[NOT_READY]");
    expect(id).toBe("db_1");
    expect(properties).toMatchObject({ status: "provisioning", __provider: expect.any(String) });
    expect(service.requests.filter((request) => request.startsWith("POST"))).toHaveLength(1);
  });

  it("a schedule without a response", async () => {
    const schedule = { databaseId: "db_1", frequency: "daily", hourUtc: 3, retentionDays: 7 };
    const given = await checked("BackupSchedule", schedule);
    const { message } = await failing(handlers.BackupSchedule.create(given));
    expect(message).toContain("not created: PUT /databases/db_1/backup-schedule: no response within");
  });

  it("a creation whose deadline passes before its request, which sends nothing", async () => {
    service.answer = async () => {
      await setTimeout(2_500);
      return [];
    };
    const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
    const { message } = await failing(handlers.VpsInstance.create(await checked("VpsInstance", server)));
    expect(message).toContain("its deadline has passed; nothing was sent");
    expect(service.requests).toEqual(["GET /vps/instances"]);
  });

  it("a deletion and a read", async () => {
    service.answer = (request, { url }) =>
      request.startsWith("POST")
        ? { id: "link_1", short_url: "https://s.test/a", destination_url: url, domain: "s.test", slug: "a" }
        : "never";
    const created = async (operation: string) => {
      const inputs = await checked("Link", { url: "https://example.com/", slug: `a${number}` }, operation);
      return (await handlers.Link.create(inputs)).outs;
    };
    const deleted = await failing(handlers.Link.delete("link_1", await created("delete")));
    expect(deleted.message).toMatch(/deadline.*\[DELETE_FAILED\]/);
    const read = await failing(handlers.Link.read("link_1", await created("read")));
    expect(read.message).toMatch(/deadline.*\[READ_FAILED\]/);
  });

  it("an update, which keeps its id and marks uncertain inputs", async () => {
    service.answer = (request, { url }) =>
      request.startsWith("POST")
        ? { id: "link_1", short_url: "https://s.test/b", destination_url: url, domain: "s.test", slug: "b" }
        : "never";
    const inputs = await checked("Link", { url: "https://example.com/", slug: "b" }, "update");
    const { outs } = await handlers.Link.create(inputs);
    const { message, id } = await failing(
      handlers.Link.update("link_1", outs, { ...inputs, url: "https://example.org/" }),
    );
    expect(message).toContain("[UPDATE_OUTCOME_UNKNOWN]");
    expect(id).toBe("link_1");
  });
});
