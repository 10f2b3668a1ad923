import { createServer } from "node:http";
import { hostname } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { aDatabase, apiClientFor, aWebhook, eventually, sandboxFor } from "../../../test/api-client.js";
import { createOutbound, OutboundRefusedError } from "./outbound.js";

/** Every way to write a host that leads to this machine. */
const spellings = [
  "127.0.0.1",
  "127.9.9.9",
  "127.1",
  "2130706433",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "0.0.0.0",
  "localhost",
  "LOCALHOST",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:0.0.0.0]",
  hostname(),
];

describe.each([true, false])(
  "with allowOutbound: %s, the sandbox sends nothing to itself",
  (allowOutbound) => {
    test.each(spellings)("by the relay to %s", async (host) => {
      const sandbox = await sandboxFor({ allowOutbound, smtpPort: 0 });
      const call = apiClientFor(sandbox);
      const { id } = await call("POST", "/shortener/links", { url: "https://example.com" });
      for (const port of [new URL(sandbox.url).port, sandbox.smtp?.port]) {
        const target_url = `http://${host}:${port}/_sandbox/reset`;
        const reply = await call("POST", "/utils/webhooks/relay", { target_url, payload: {} });
        expect(reply).toMatchObject({ status: 400, error: { field: "target_url" } });
        if (allowOutbound) expect(reply.error?.message).toMatch(/the sandbox itself/);
      }
      expect(sandbox.resources().map((resource) => resource.id)).toEqual([id]);
    });

    test("by a webhook or the push of a mail", async () => {
      const sandbox = await sandboxFor({ allowOutbound });
      const call = apiClientFor(sandbox);
      const url = `${sandbox.url}/_sandbox/reset`;
      await call("POST", "/webhooks", { ...aWebhook, url });
      const { data } = await call("POST", "/tempmail/inboxes", { webhook_url: url });
      sandbox.emit("local", "vps.snapshot.completed", {});
      await sandbox.sendMail({ to: z.object({ email_address: z.string() }).parse(data).email_address });
      await sandbox.clock.advance(1);
      const given = { status: "failed", attempts: [{ error: expect.stringMatching(/the sandbox itself/) }] };
      expect(sandbox.deliveries()).toMatchObject([given, given]);
      expect(sandbox.resources()).toHaveLength(2);
    });
  },
);

test("the relay reaches neither the sandbox's PostgreSQL nor its pool", { timeout: 120_000 }, async () => {
  const sandbox = await sandboxFor({ postgres: "real", provisioning: { databaseMs: 0 } });
  const call = apiClientFor(sandbox);
  const { id } = await call("POST", "/databases", { ...aDatabase, enable_connection_pool: true });
  const database = z.object({ connection_uri: z.string(), pool_uri: z.string() });
  const read = async () => database.safeParse((await call("GET", `/databases/${id}`)).data).data;
  await eventually(read).toBeDefined();
  const { connection_uri = "", pool_uri = "" } = (await read()) ?? {};
  for (const port of [new URL(connection_uri).port, new URL(pool_uri).port]) {
    const target_url = `http://127.0.0.1:${port}/`;
    const { status, error } = await call("POST", "/utils/webhooks/relay", { target_url, payload: {} });
    expect({ status, message: error?.message }).toEqual({
      status: 400,
      message: expect.stringMatching(/the sandbox itself/),
    });
  }
});

describe("a name", () => {
  const closing = new AbortController().signal;

  test.each([["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["192.0.2.1", "127.0.0.1"]])(
    "that resolves to %s is refused on the sandbox's own port",
    async (...addresses) => {
      const addressesOf = async () =>
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      const { post } = createOutbound({ allowsAll: true, closing, ownPorts: () => [80, 4780], addressesOf });
      await expect(post("http://innocent.example:4780/", "{}", {})).rejects.toThrow(OutboundRefusedError);
      await expect(post("http://innocent.example/", "{}", {})).rejects.toThrow(OutboundRefusedError);
    },
  );

  test("that means this machine by its spelling and not by its address is refused", async () => {
    const addressesOf = async () => [{ address: "192.0.2.1", family: 4 }];
    const { post } = createOutbound({ allowsAll: false, closing, ownPorts: () => [], addressesOf });
    await expect(post("http://localhost:1/", "{}", {})).rejects.toThrow(/this machine only/);
  });

  test("is resolved once: what is checked is what is connected to", async () => {
    const server = createServer((_request, response) => response.writeHead(204).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const asked: string[] = [];
    const { post } = createOutbound({
      allowsAll: true,
      closing,
      ownPorts: () => [],
      async addressesOf(host) {
        asked.push(host);
        return [{ address: "127.0.0.1", family: 4 }];
      },
    });
    const url = `http://rebinding.invalid:${Object(server.address()).port}/`;
    expect(await post(url, "{}", {})).toEqual({ status: 204 });
    expect(asked).toEqual(["rebinding.invalid"]);
  });
});
