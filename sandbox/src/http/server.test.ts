import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { apiClientFor, eventually, sandboxFor } from "../../test/api-client.js";
import type { Sandbox } from "../sandbox.js";

/** `fetch` does not let a caller lie about the host. */
async function raw(sandbox: Sandbox, request: string): Promise<string> {
  const { port, hostname } = new URL(sandbox.url);
  const socket = connect(Number(port), hostname);
  socket.end(request);
  let answer = "";
  for await (const part of socket) answer += String(part);
  return answer;
}

test("a name that is not the sandbox's is refused, whatever the path", async () => {
  const sandbox = await sandboxFor();
  for (const path of ["/v1/databases", "/_sandbox/resources", "/slug"]) {
    const answer = await raw(
      sandbox,
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 421 /);
  }
});

test("a custom short domain answers for links only", async () => {
  const sandbox = await sandboxFor();
  await apiClientFor(sandbox)("POST", "/shortener/links", {
    url: "https://example.com/",
    domain: "go.example.com",
    slug: "a",
  });
  const get = (path: string) =>
    raw(sandbox, `GET ${path} HTTP/1.1\r\nHost: go.example.com\r\nConnection: close\r\n\r\n`);
  expect(await get("/a")).toMatch(/^HTTP\/1.1 302 [\s\S]*location: https:\/\/example.com\//i);
  expect(await get("/_sandbox/resources")).toMatch(/^HTTP\/1.1 404 /);
});

test("no link can take away a name of the sandbox's own", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { port } = new URL(sandbox.url);
  for (const domain of [`localhost:${port}`, "localhost", `127.0.0.1:${port}`]) {
    await call("POST", "/shortener/links", { url: "https://example.com/", domain, slug: "a" });
  }
  const healthy = await raw(
    sandbox,
    `GET /health HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
  );
  expect(healthy).toMatch(/^HTTP\/1.1 200 /);
  expect((await call("GET", "/shortener/links")).status).toBe(200);
});

test("odd paths lead nowhere", async () => {
  const sandbox = await sandboxFor();
  for (const path of [
    "//evil.example/v1/databases",
    "/v1x/databases",
    "/_sandboxes",
    "/%",
    "/a/../../etc/passwd",
  ]) {
    const answer = await raw(sandbox, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(answer, path).toMatch(/^HTTP\/1.1 404 /);
  }
});

test("pages of another origin may not control the sandbox", async () => {
  const sandbox = await sandboxFor();
  const reset = (origin: string) =>
    fetch(`${sandbox.url}/_sandbox/reset`, { method: "POST", headers: { origin } });
  expect((await reset("https://evil.example")).status).toBe(403);
  expect((await reset("null")).status).toBe(403);
  expect((await reset(sandbox.url)).status).toBe(200);
});

test.each(["Host: evil.example", "Authorization: Bearer sandbox_other", "Content-Type: text/plain"])(
  "a request is refused that says a second time, and differently: %s",
  async (header) => {
    const sandbox = await sandboxFor();
    const { host } = new URL(sandbox.url);
    const once = `Host: ${host}\r\nAuthorization: Bearer sandbox_local\r\nContent-Type: application/json`;
    const body = '{"url":"https://example.com"}';
    const end = `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    const create = `POST /v1/shortener/links HTTP/1.1\r\n${once}\r\n`;
    expect(await raw(sandbox, `${create}${end}`)).toMatch(/^HTTP\/1.1 201 /);
    expect(await raw(sandbox, `${create}${header}\r\n${end}`)).toMatch(/^HTTP\/1.1 400 /);
  },
);

test("a caller that hangs up in the middle of its body changes nothing, and is no failure of the sandbox", async () => {
  const reported = vi.spyOn(console, "error");
  onTestFinished(() => reported.mockRestore());
  const sandbox = await sandboxFor();
  const { host, port, hostname } = new URL(sandbox.url);
  const socket = connect(Number(port), hostname);
  const head = `POST /v1/shortener/links HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer sandbox_local`;
  socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"url"`, () =>
    socket.destroy(),
  );
  await eventually(() => sandbox.journal()).toHaveLength(1);
  expect(sandbox.journal()[0]).not.toHaveProperty("status");
  expect(sandbox.resources()).toEqual([]);
  expect(reported).not.toHaveBeenCalled();
});

test("headers beyond a bound are refused", async () => {
  const sandbox = await sandboxFor();
  const answer = await raw(
    sandbox,
    `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(20_000)}\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 431 /);
});

test("two sandboxes cannot share a port, and the second says so", async () => {
  const sandbox = await sandboxFor();
  await expect(sandboxFor({ port: Number(new URL(sandbox.url).port) })).rejects.toThrow(/EADDRINUSE/);
});
