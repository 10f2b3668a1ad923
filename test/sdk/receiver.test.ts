import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { closeLater } from "../support/folder.js";
import { openClient } from "./client.js";

const example = fileURLToPath(new URL("../../examples/webhook-receiver/index.mjs", import.meta.url));
const secret = "correct horse battery staple";

/** Starts the example as a user does, and collects its output. */
async function start() {
  const said: string[] = [];
  const receiver = spawn(process.execPath, [example], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: "0" },
  });
  for (const stream of [receiver.stdout, receiver.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => said.push(...text.trim().split("\n")));
  }
  closeLater(async () => {
    if (receiver.exitCode !== null) return;
    receiver.kill();
    await once(receiver, "exit");
  });
  await expect.poll(() => said[0]).toMatch(/listening on port \d+/);
  return { said, url: `http://127.0.0.1:${/\d+$/.exec(said[0] ?? "")?.[0]}/` };
}

describe("the example receiver", () => {
  it("accepts a notification once and rejects a forged one", async () => {
    const { said, url } = await start();
    const { client, sandbox } = await openClient();
    await client.webhooks.create({ url, events: ["database.backup.completed"], secret });
    const data = {
      backup_id: "bk_1",
      database_id: "db_1",
      database_name: "main",
      size_mb: 12,
      duration_seconds: 3,
      completed_at: "2030-01-01T00:00:00Z",
      download_url_expires_at: "2030-01-08T00:00:00Z",
    };
    sandbox.emit("local", "database.backup.completed", data);
    await expect.poll(() => said).toContain("backup bk_1 of main: 12 MB");
    await expect.poll(() => sandbox.deliveries().map(({ status }) => status)).toEqual(["delivered"]);

    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
      "webhook-signature": "v1,AAAA",
    };
    const forged = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ event: "database.backup.completed", data }),
    });
    expect(forged.status).toBe(400);
    expect(said.filter((line) => line.startsWith("backup"))).toHaveLength(1);
  });
});
