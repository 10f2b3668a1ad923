import { createServer } from "node:http";
import { type CloudServicesEvent, NotFoundError, receiveEvent } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/failure.js";
import { closeLater } from "../support/folder.js";
import { openClient } from "./client.js";

const { sandbox, client } = await openClient();
const secret = "correct horse battery staple";
const input = { url: "https://example.com/hooks", events: ["database.backup.completed"], secret } as const;

describe("webhooks", () => {
  it("webhooks.create: registers a webhook, and never returns its secret", async () => {
    const webhook = await client.webhooks.create(input);
    expect(webhook).toMatchObject({ id: expect.any(String), url: input.url, events: input.events });
    expect(JSON.stringify(webhook)).not.toContain(secret);
  });

  it("webhooks.get: reads a webhook by its id", async () => {
    const { id = "" } = await client.webhooks.create(input);
    expect(await client.webhooks.get(id)).toMatchObject({ id, url: input.url });
  });

  it("webhooks.list: lists all webhooks", async () => {
    const { id } = await client.webhooks.create(input);
    expect((await client.webhooks.list({ limit: 1 }).toArray()).map((webhook) => webhook.id)).toContain(id);
  });

  it("webhooks.update: changes a webhook in place", async () => {
    const { id = "" } = await client.webhooks.create(input);
    const events = ["vps.snapshot.completed"] as const;
    expect(await client.webhooks.update(id, { events })).toMatchObject({ id, url: input.url, events });
  });

  it("webhooks.delete: deletes a webhook", async () => {
    const { id = "" } = await client.webhooks.create(input);
    await client.webhooks.delete(id);
    await errorOf(client.webhooks.get(id), NotFoundError);
  });
});

describe("a notification", () => {
  it.each([secret, `whsec_${Buffer.from(secret).toString("base64")}`])(
    "that the service signs with %s is verified and typed",
    async (key) => {
      const events: (CloudServicesEvent | Error)[] = [];
      const server = createServer(async (request, response) => {
        // By the sandbox's clock, which tests can advance.
        const event = await receiveEvent(request, key, { now: sandbox.clock.now() }).catch(
          (error: Error) => error,
        );
        events.push(event);
        response.writeHead(204).end();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      closeLater(async () => void server.close());
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const { id = "" } = await client.webhooks.create({
        ...input,
        url: `http://127.0.0.1:${port}/hooks`,
        secret: key,
      });

      sandbox.emit("local", "database.backup.completed", {
        backup_id: "bk_1",
        database_id: "db_1",
        database_name: "main",
        size_mb: 12,
        duration_seconds: 3,
        completed_at: "2030-01-01T00:00:00Z",
        download_url_expires_at: "2030-01-08T00:00:00Z",
      });
      await expect.poll(() => events.length).toBe(1);
      expect(events[0]).toMatchObject({
        type: "database.backup.completed",
        data: { backupId: "bk_1", sizeMb: 12 },
      });
      await client.webhooks.delete(id);
    },
  );
});
