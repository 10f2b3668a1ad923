// @module-tag slow

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { aDatabase, apiClientFor, aWebhook, sandboxFor } from "../test/api-client.js";
import { temporaryFolder } from "../test/folder.js";
import { canMakeNamespaces, namespaceFor } from "../test/network-namespace.js";
import { databaseOf, hasPsql } from "../test/postgres.js";

const NAME = "sandbox.test";

/** A program for Node that prints the body of a response. */
const FETCH = `
const [url, method = "GET", body] = process.argv.slice(1);
const headers = { authorization: "Bearer sandbox_local", ...(body && { "content-type": "application/json" }) };
const response = await fetch(url, { method, headers, redirect: "manual", ...(body && { body }) });
process.stdout.write(response.headers.get("location") ?? (await response.text()));
`;

test.skipIf(!canMakeNamespaces || !hasPsql)(
  "from another network namespace: the API, short links and PostgreSQL over verified TLS",
  { timeout: 120_000 },
  async () => {
    const { here, inside } = await namespaceFor(NAME);
    const sandbox = await sandboxFor({
      ...{ host: here, publicHost: NAME, postgres: "real", provisioning: { databaseMs: 0 } },
      data: await temporaryFolder(),
    });
    expect(sandbox.baseUrl).toMatch(/^http:\/\/sandbox\.test:\d+\/v1$/);
    const fetched = (url: string, ...rest: string[]) =>
      inside(process.execPath, "--input-type=module", "-e", FETCH, "--", url, ...rest);
    const created = async (path: string, body: object) =>
      z
        .object({ data: z.unknown() })
        .parse(JSON.parse(await fetched(sandbox.baseUrl + path, "POST", JSON.stringify(body)))).data;

    const link = z
      .object({ short_url: z.string() })
      .parse(await created("/shortener/links", { url: "https://example.com/a" }));
    expect(link.short_url).toContain(`http://${NAME}:`);
    expect(await fetched(link.short_url)).toBe("https://example.com/a");

    const pooled = { ...aDatabase, enable_connection_pool: true };
    const { id } = databaseOf(await created("/databases", pooled));
    await sandbox.idle();
    const { data } = z
      .object({ data: z.unknown() })
      .parse(JSON.parse(await fetched(`${sandbox.baseUrl}/databases/${id}`)));
    const { connection_uri, pool_uri } = databaseOf(data);
    const root = join(await temporaryFolder(), "root.crt");
    await writeFile(root, await fetched(`${sandbox.url}/_sandbox/root.crt`));
    const query = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    for (const uri of [connection_uri, pool_uri]) {
      expect(uri).toContain(`@${NAME}:`);
      expect(await inside("psql", uri, "-Atc", query)).toBe("t\n");
      const verified = `${uri.replace("sslmode=require", "sslmode=verify-full")}&sslrootcert=${root}`;
      expect(await inside("psql", verified, "-Atc", query)).toBe("t\n");
      await expect(inside("psql", verified.replace(NAME, here), "-Atc", query)).rejects.toThrow(
        /does not match host name/,
      );
      await expect(inside("psql", uri.replace("require", "disable"), "-Atc", query)).rejects.toThrow(
        /no encryption|without TLS/,
      );
    }
  },
);

/** A program for Node that prints the first request that it receives, and ends. */
const RECEIVE = `
import { createServer } from "node:http";
const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  response.end();
  process.stdout.write(request.url + " " + body, () => process.exit());
});
server.listen(9000, process.argv[1]);
`;

test.skipIf(!canMakeNamespaces)("webhooks reach an allowed host over http, and no other", async () => {
  const { here, there, inside } = await namespaceFor(NAME);
  const received = inside(process.execPath, "--input-type=module", "-e", RECEIVE, "--", there);
  const url = `http://${there}:9000/hook`;
  const refusing = await sandboxFor({ host: here });
  expect(await apiClientFor(refusing)("POST", "/webhooks", { ...aWebhook, url })).toMatchObject({
    status: 400,
  });
  const target_url = url;
  const relayed = await apiClientFor(refusing)("POST", "/utils/webhooks/relay", { target_url, payload: {} });
  expect(relayed.error?.message).toMatch(/unless started with --outbound-host/);
  const sandbox = await sandboxFor({ host: here, outboundHosts: [there, "other.test"] });
  const call = apiClientFor(sandbox);
  await call("POST", "/webhooks", { ...aWebhook, url });
  // The receiver may still be starting.
  const isReceived = received.then(() => true);
  do sandbox.emit("local", "vps.snapshot.completed", { n: 1 });
  while (!(await Promise.race([isReceived, setTimeout(200, false)])));
  expect(await received).toBe('/hook {"event":"vps.snapshot.completed","data":{"n":1}}');
  const own = await call("POST", "/utils/webhooks/relay", { target_url: sandbox.url, payload: {} });
  expect(own.status).toBe(400);
  const far = await call("POST", "/webhooks", { ...aWebhook, url: "http://third.test/hook" });
  expect(far.status).toBe(400);
});

test.skipIf(!canMakeNamespaces || !hasPsql)(
  "without a public host, PostgreSQL is for this machine only, wherever the API listens",
  { timeout: 120_000 },
  async () => {
    const { here, inside } = await namespaceFor(NAME);
    const sandbox = await sandboxFor({ host: here, postgres: "real", provisioning: { databaseMs: 0 } });
    const call = apiClientFor(sandbox);
    const { id } = await call("POST", "/databases", aDatabase);
    await sandbox.idle();
    const { connection_uri } = databaseOf((await call("GET", `/databases/${id}`)).data);
    expect(connection_uri).toContain("@127.0.0.1:");
    const uri = connection_uri.replace("127.0.0.1", here).replace("verify-full", "require");
    await expect(inside("psql", uri, "-Atc", "SELECT 1")).rejects.toThrow(/Connection refused/);
  },
);

test("a public host is in addresses, is accepted as a host, and is spelled in one way", async () => {
  const named = await sandboxFor({ publicHost: "Sandbox", smtpPort: 0 });
  expect(named.baseUrl).toMatch(/^http:\/\/sandbox:\d+\/v1$/);
  expect(named.smtp?.host).toBe("sandbox");
  const numbered = await sandboxFor({ publicHost: "2001:DB8:0::7" });
  expect(numbered.url).toMatch(/^http:\/\/\[2001:db8::7\]:\d+$/);
  for (const publicHost of ["a b", "sandbox:80", "http://sandbox", "[::1]", "-x"])
    await expect(sandboxFor({ publicHost }), publicHost).rejects.toThrow(/publicHost/);
});
