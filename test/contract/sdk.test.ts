import { once } from "node:events";
import { createServer } from "node:http";
import type { Sandbox } from "cloudservices-sandbox";
import { type CloudServices, operations } from "cloudservices-sdk";
import { expect, it } from "vitest";
import { clientOf } from "../sdk/client.js";
import { closeLater } from "../support/folder.js";
import { portOf } from "../support/port-of.js";
import { openSandbox } from "../support/test-stack.js";
import { documentOf, operationsIn } from "./document.js";
import { openProxy } from "./proxy.js";

const receiver = createServer((request, response) => {
  request.resume();
  response.end();
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
closeLater(() => {
  receiver.close();
  receiver.closeAllConnections();
});

/** Every documented call, with everything that it takes; and what the others need to know of the answers. */
async function documentedRound(client: CloudServices, sandbox: Sandbox) {
  const link = await client.links.create({
    url: "https://example.com/",
    domain: "go.example.com",
    slug: "all",
    title: "All",
    expiresAt: "2100-01-01T00:00:00Z",
    passcode: "passcode",
    utmSource: "test",
  });
  await client.links.list({ limit: 1 }).toArray();
  await client.links.analytics(link.id, { timeframe: "30d" });
  await client.links.qrSvg(link.id, { color: "112233", bg: "ffffff", size: 300 });

  const database = await client.databases.create({
    name: "orders",
    engine: "postgresql",
    version: "15",
    plan: "db-starter-1",
    region: "eu-central-1",
    enableConnectionPool: true,
    vpcId: "vpc_1",
  });
  await client.databases.setBackupSchedule(database.id, {
    frequency: "daily",
    hourUtc: 3,
    retentionDays: 7,
    notifyOnComplete: true,
  });

  const server = await client.vps.create({
    name: "web",
    plan: "vps-micro-1",
    region: "eu-central-1",
    image: "debian-12",
    sshKeys: ["ssh_key_1"],
    backupsEnabled: true,
    userData: "#!/bin/sh",
  });
  await sandbox.clock.advance(60_000);
  await client.vps.createSnapshot(server.id);

  const inbox = await client.mail.createInbox({
    prefix: "signup",
    ttlMinutes: 60,
    webhookUrl: "https://hooks.example.com/mail",
  });
  const text = "Your verification code is 482913. https://shop.example/confirm";
  await sandbox.sendMail({
    to: inbox.emailAddress ?? "",
    from: "no-reply@shop.example",
    subject: "Your code",
    text,
  });
  const [summary] = await client.mail.listMessages(inbox.inboxId);
  await client.mail.getMessage(summary?.id ?? "");

  await client.webhooks.create({
    url: "https://hooks.example.com/",
    events: ["database.backup.completed"],
    secret: "a secret",
  });

  await client.utils.lookupIp("192.0.2.7");
  sandbox.setZone([{ name: "www.example.com", type: "A", data: "192.0.2.7", ttl: 60 }]);
  await client.utils.lookupDns({ name: "www.example.com", type: "A" });
  const targetUrl = `http://127.0.0.1:${portOf(receiver)}/`;
  await client.utils.relay({ targetUrl, payload: { deep: [null, { a: 1 }] }, headers: { "X-Trace": "7" } });
  return { link, database, server, inbox };
}

type Made = Awaited<ReturnType<typeof documentedRound>>;

/** Every assumed call, on what the documented ones have made. */
async function assumedRound(client: CloudServices, sandbox: Sandbox, made: Made) {
  const { link, database, server, inbox } = made;
  await client.links.get(link.id);
  await client.links.update(link.id, {
    url: "https://example.com/new",
    title: null,
    expiresAt: null,
    passcode: null,
    utmSource: null,
  });
  await client.links.delete(link.id);

  await sandbox.clock.advance(60_000);
  await client.databases.list().toArray();
  await client.databases.get(database.id);
  await client.databases.update(database.id, {
    name: "orders-2",
    plan: "db-standard-2",
    version: "16",
    enableConnectionPool: false,
  });
  await client.databases.getBackupSchedule(database.id);
  await client.databases.deleteBackupSchedule(database.id);
  await client.databases.delete(database.id);

  await client.vps.list().toArray();
  await client.vps.get(server.id);
  await client.vps.stop(server.id);
  await sandbox.clock.advance(60_000);
  await client.vps.update(server.id, {
    name: "web-2",
    plan: "vps-standard-2",
    backupsEnabled: false,
    userData: "#!/bin/bash",
  });
  await sandbox.clock.advance(60_000);
  await client.vps.delete(server.id);

  await client.mail.listInboxes().toArray();
  await client.mail.getInbox(inbox.inboxId);
  await client.mail.deleteInbox(inbox.inboxId);

  const [webhook] = await client.webhooks.list().toArray();
  const id = webhook?.id ?? "";
  await client.webhooks.get(id);
  await client.webhooks.update(id, {
    url: "https://hooks.example.com/2",
    events: ["vps.snapshot.completed"],
  });
  await client.webhooks.delete(id);
}

it.each(["documented", "conventional"] as const)(
  "one round of the sdk over every operation of the %s profile is within the contract",
  async (profile) => {
    const sandbox = await openSandbox({ profile });
    const document = await documentOf(sandbox.url);
    const proxy = await openProxy(sandbox.baseUrl, document);
    const client = clientOf(sandbox, { baseUrl: proxy.baseUrl });
    const made = await documentedRound(client, sandbox);
    if (profile === "conventional") await assumedRound(client, sandbox, made);

    expect(proxy.exchanges.filter(({ violations, status }) => violations.length > 0 || status > 201)).toEqual(
      [],
    );
    const used = new Set(proxy.exchanges.map(({ operation }) => operation));
    expect(used).toEqual(new Set(operationsIn(document).map(({ id }) => id)));
    // The document offers no less than the sdk has calls for.
    const offered = operations.filter(({ basis }) => profile === "conventional" || basis === "documented");
    expect(used.size).toBe(offered.length);
  },
);
