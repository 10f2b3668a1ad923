import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aWebhook, sandboxFor } from "../test/api-client.js";
import { temporaryFolder } from "../test/folder.js";
import { loadSeed } from "./cli-seed.js";

const good = [
  { kind: "Webhook", fields: aWebhook },
  { kind: "Webhook", fields: aWebhook },
];

async function folderOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(content));
  return folder;
}

test("a removal that fails stops no other, and does not hide why the seed was rejected", async () => {
  const sandbox = await sandboxFor();
  const folder = await folderOf({ "1.json": good, "2.json": [{ kind: "Webhook", fields: {} }] });
  let attempts = 0;
  const failingOnce = {
    ...sandbox,
    async remove(id: string) {
      attempts += 1;
      if (attempts === 1) throw new Error("the disk is full");
      await sandbox.remove(id);
    },
  };
  await expect(loadSeed(failingOnce, folder)).rejects.toThrow(
    /2\.json: Resource 1 \(Webhook\): .*; the disk is full$/,
  );
  expect([attempts, sandbox.resources().length]).toEqual([2, 1]);
});

test("a signal between two files leaves nothing", async () => {
  const sandbox = await sandboxFor();
  const folder = await folderOf({ "1.json": good, "2.json": good });
  const stopping = new AbortController();
  const stopped = {
    ...sandbox,
    seed(wishes: Parameters<typeof sandbox.seed>[0]) {
      stopping.abort();
      return sandbox.seed(wishes);
    },
  };
  await expect(loadSeed(stopped, folder, stopping.signal)).rejects.toThrow(/2\.json: /);
  expect(sandbox.resources()).toEqual([]);
});
