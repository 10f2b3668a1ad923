import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { closeLater } from "../support/folder.js";
import { portOf } from "../support/port-of.js";
import { until } from "../support/processes.js";
import { openSandbox } from "../support/test-stack.js";
import { documentOf, type Operation, operationsIn } from "./document.js";
import { openProxy } from "./proxy.js";

/** What the service is made to answer, in the place of the sandbox. */
let scripted: { status: number; body: unknown } = { status: 200, body: {} };

const sandbox = await openSandbox();
const document = await documentOf(sandbox.url);
const operations = operationsIn(document);

const liar = createServer((request, response) => {
  request.resume();
  response.writeHead(scripted.status, { "content-type": "application/json" });
  response.end(JSON.stringify(scripted.body));
}).listen(0, "127.0.0.1");
await once(liar, "listening");
closeLater(() => {
  liar.close();
  liar.closeAllConnections();
});

const honest = await openProxy(sandbox.baseUrl, document);
const lying = await openProxy(`http://127.0.0.1:${portOf(liar)}/v1`, document);

/** Sends one request through a proxy, and gives what the proxy thinks of it. */
async function violationsOf(
  proxy: typeof honest,
  { method, path }: Pick<Operation, "method" | "path">,
  body?: unknown,
  key = sandbox.apiKey,
): Promise<readonly string[]> {
  const response = await fetch(proxy.baseUrl + path.replaceAll(/\{\w+\}/g, "192.0.2.7"), {
    method,
    headers: {
      ...(key !== "" && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return proxy.exchanges.at(-1)?.violations ?? ["nothing has passed"];
}

const link = { url: "https://example.com/" };
const success = (data: unknown, meta: object = {}) => ({
  status: "success",
  data,
  meta: { request_id: "r", timestamp: 1, ...meta },
});

describe("the contract proxy", () => {
  it("finds no fault with what the document allows, answers of error among them", async () => {
    expect(await violationsOf(honest, { method: "POST", path: "/shortener/links" }, link)).toEqual([]);
    expect(await violationsOf(honest, { method: "GET", path: "/shortener/links?limit=1" })).toEqual([]);
    expect(await violationsOf(honest, { method: "GET", path: "/databases/db_0" })).toEqual([]);
    expect(honest.exchanges.map(({ operation, status }) => `${operation} ${status}`)).toEqual([
      "createLink 201",
      "listLinks 200",
      "getDatabase 404",
    ]);
  });

  it.each([
    ["a field of a request", "POST", "/shortener/links", { ...link, colour: "red" }, /'colour'/],
    ["a type of a request", "POST", "/shortener/links", { url: 7 }, /url must be string/],
    ["a missing field", "POST", "/shortener/links", {}, /'url'/],
    ["a missing body", "POST", "/shortener/links", undefined, /Body parameter is required/],
    ["a body where none belongs", "DELETE", "/databases/db_0", {}, /non-empty body/],
    ["a query parameter", "GET", "/shortener/links?colour=red", undefined, /colour is unknown/],
    [
      "the type of a query parameter",
      "GET",
      "/shortener/links?limit=two",
      undefined,
      /limit must be integer/,
    ],
    ["a path", "GET", "/shortener", undefined, /route not found/],
    ["a method", "PUT", "/shortener/links", link, /route not found/],
  ])("reports %s that the document does not have", async (_, method, path, body, reported) => {
    const violations = await violationsOf(honest, { method, path }, body);
    expect(violations).toEqual(expect.arrayContaining([expect.stringMatching(reported)]));
  });

  it("reports a request without a key", async () => {
    const list = { method: "GET", path: "/shortener/links" };
    expect(await violationsOf(honest, list, undefined, "")).toEqual(["Invalid security scheme used"]);
  });

  it("reports a service that is not there", async () => {
    const gone = await openProxy("http://127.0.0.1:1/v1", document);
    expect(await violationsOf(gone, { method: "GET", path: "/databases" })).toEqual([
      expect.stringMatching(/^No answer came back: .*ECONNREFUSED/),
    ]);
  });

  it("reports a request that breaks off", async () => {
    const before = honest.exchanges.length;
    connect(Number(new URL(honest.baseUrl).port), "127.0.0.1")
      .on("error", () => {})
      .end("POST /v1/shortener/links HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{");
    await until(() => honest.exchanges.length > before, "the report");
    expect(honest.exchanges.at(-1)?.violations).toEqual(["It could not be passed on: aborted"]);
  });

  it("reports an unknown field and a missing one of an answer", async () => {
    const page = { has_more: false, next_cursor: null, total_count: 0 };
    const list = { method: "GET", path: "/shortener/links" };
    scripted = { status: 200, body: success([], page) };
    expect(await violationsOf(lying, list)).toEqual([]);
    scripted = { status: 200, body: success([], { ...page, colour: "red" }) };
    expect(await violationsOf(lying, list)).toEqual([expect.stringMatching(/'colour'/)]);
    scripted = { status: 200, body: success([]) };
    expect(await violationsOf(lying, list)).toEqual(
      expect.arrayContaining([expect.stringMatching(/'total_count'/)]),
    );
  });
});

// Prism passes everything through a schema that it cannot compile; so each is shown to refuse something.
describe("every operation of the document", () => {
  it.each(operations)("$method $path: a wrong answer is reported", async ({ success: status, ...asked }) => {
    scripted = { status, body: { status: "success", data: 7, meta: {} } };
    const faults = async () =>
      (await violationsOf(lying, asked)).filter((one) => one.startsWith("Response body"));
    expect(await faults()).not.toEqual([]);
    scripted = { status: 500, body: { status: "error", error: { code: "INTERNAL_ERROR" } } };
    expect(await faults()).not.toEqual([]);
    scripted = { status: 418, body: { status: "error" } };
    expect(await violationsOf(lying, asked)).toEqual(
      expect.arrayContaining([expect.stringMatching(/Unable to match the returned status code/)]),
    );
  });

  it.each(operations.filter(({ takesBody }) => takesBody))(
    "$method $path: a request with an unknown field is reported",
    async ({ success: status, ...asked }) => {
      scripted = { status, body: {} };
      expect(await violationsOf(lying, asked, { unheard_of: true })).toEqual(
        expect.arrayContaining([expect.stringMatching(/^Request body .*'unheard_of'/)]),
      );
    },
  );

  it.each(operations)("$method $path: an unknown query parameter is reported", async (asked) => {
    const path = `${asked.path}?unheard_of=1`;
    expect(await violationsOf(lying, { ...asked, path })).toContain(
      "Request query parameter unheard_of is unknown",
    );
  });
});
