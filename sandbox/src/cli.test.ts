// @module-tag slow

import { exec, execFile } from "node:child_process";
import { open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test, vi } from "vitest";
import { aDatabase, aWebhook } from "../test/api-client.js";
import { buildCommand, launchCommand, runCommand, startCommand } from "../test/command.js";
import { temporaryFolder } from "../test/folder.js";

beforeAll(buildCommand, 120_000);
// Some tests start several processes one after the other.
vi.setConfig({ testTimeout: 120_000 });

async function get(baseUrl: string, path: string): Promise<{ data: unknown[] }> {
  const response = await fetch(baseUrl + path, { headers: { authorization: "Bearer sandbox_local" } });
  return Object(await response.json());
}

test("it prints a line that works as it stands", async () => {
  const { output, process: child, exited } = await startCommand("--port", "0");
  const line = /^ {2}(curl .*)$/m.exec(output)?.[1] ?? "";
  const { stdout } = await promisify(exec)(line).catch(() => ({ stdout: "no curl" }));
  if (stdout !== "no curl") expect(JSON.parse(stdout)).toMatchObject({ status: "success" });
  child.kill("SIGTERM");
  expect(await exited).toBe(0);
});

test("wrong flags are one line and exit code 2", async () => {
  const { code, stdout, stderr } = await runCommand("--port", "many");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^cloudservices-sandbox: --port takes a whole number.*\n$/);
});

test("help is printed on stdout", async () => {
  const { code, stdout } = await runCommand("--help");
  expect(code).toBe(0);
  expect(stdout).toContain("--profile");
});

test("a port and a folder that are in use are refused in one line", async () => {
  const data = await temporaryFolder();
  const { baseUrl } = await startCommand("--port", "0", "--data", data);
  const port = new URL(baseUrl).port;
  const samePort = await runCommand(
    "--port",
    port,
    "--postgres-port",
    "0",
    "--pool-port",
    "0",
    "--smtp-port",
    "0",
  );
  expect(samePort).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^cloudservices-sandbox: port \d+ is in use.*\n$/),
  });
  const sameFolder = await runCommand("--port", "0", "--data", data);
  expect(sameFolder).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^cloudservices-sandbox: .* in use by process \d+.*\n$/),
  });
});

test("a seed file is there from the start; a wrong one is refused", async () => {
  const path = join(await temporaryFolder(), "seed.json");
  await writeFile(
    path,
    JSON.stringify([{ kind: "Database", fields: { ...aDatabase, engine: "redis", version: "7.2" } }]),
  );
  const { baseUrl } = await startCommand("--port", "0", "--seed", path);
  expect((await get(baseUrl, "/databases")).data).toMatchObject([{ name: "orders", status: "ready" }]);
  await writeFile(path, JSON.stringify([{ kind: "Databse" }]));
  expect(await runCommand("--port", "0", "--seed", path)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("kind"),
  });
});

test("a folder's seed files are applied in order; one that is rejected leaves nothing behind", async () => {
  const [seed, data] = [await temporaryFolder(), await temporaryFolder()];
  const hook = (url: string) => [{ kind: "Webhook", fields: { ...aWebhook, url } }];
  await writeFile(join(seed, "10-second.json"), JSON.stringify(hook("http://127.0.0.1:2/")));
  await writeFile(join(seed, "01-first.json"), JSON.stringify(hook("http://127.0.0.1:1/")));
  await writeFile(join(seed, "readme.txt"), "no seed");
  await writeFile(join(seed, "99-wrong.json"), JSON.stringify([{ kind: "Webhook", fields: {} }]));
  expect(await runCommand("--port", "0", "--data", data, "--seed", seed)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^cloudservices-sandbox: \S+99-wrong.json: Resource 1 \(Webhook\): [^\n]*\n$/,
    ),
  });
  await rm(join(seed, "99-wrong.json"));
  const { baseUrl } = await startCommand("--port", "0", "--data", data, "--seed", seed);
  expect((await get(baseUrl, "/webhooks")).data).toMatchObject([
    { url: "http://127.0.0.1:1/" },
    { url: "http://127.0.0.1:2/" },
  ]);
});

test("a signal during the start closes the sandbox in order", async () => {
  const pipe = join(await temporaryFolder(), "seed.json");
  await promisify(execFile)("mkfifo", [pipe]);
  const { process: child, ready, exited } = launchCommand("--port", "0", "--seed", pipe);
  const isReady = ready.then(
    () => true,
    () => false,
  );
  // Opens once the command reads it.
  const writer = await open(pipe, "w");
  child.kill("SIGTERM");
  await writer.writeFile("[]");
  await writer.close();
  expect(await exited).toBe(0);
  expect(await isReady).toBe(false);
});

test("a sandbox can begin with the downloaded state of another", async () => {
  const path = join(await temporaryFolder(), "state.gz");
  const first = await startCommand("--port", "0");
  const created = await fetch(`${first.baseUrl}/shortener/links`, {
    method: "POST",
    headers: { authorization: "Bearer sandbox_local", "content-type": "application/json" },
    body: JSON.stringify({ url: "https://example.com/", slug: "moved" }),
  });
  expect(created.status).toBe(201);
  const state = await fetch(new URL("/_sandbox/state", first.baseUrl));
  await writeFile(path, Buffer.from(await state.arrayBuffer()));
  const { baseUrl } = await startCommand("--port", "0", "--import", path);
  expect((await get(baseUrl, "/shortener/links")).data).toMatchObject([{ slug: "moved" }]);
  await writeFile(path, "no state");
  expect(await runCommand("--port", "0", "--import", path)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^cloudservices-sandbox: \S+state.gz: This is no complete state file[^\n]*\n$/,
    ),
  });
});

test("health says in one line and by its exit code whether a sandbox runs", async () => {
  const { baseUrl, process: child, exited } = await startCommand("--port", "0");
  const port = new URL(baseUrl).port;
  const healthy = { code: 0, stdout: `http://127.0.0.1:${port} is healthy\n`, stderr: "" };
  expect(await runCommand("health", "--port", port)).toEqual(healthy);
  child.kill("SIGTERM");
  await exited;
  expect(await runCommand("health", "--port", port)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^cloudservices-sandbox: \S+ does not respond: .*ECONNREFUSED.*\n$/),
  });
});

test("a warning follows the address if other machines can reach control", async () => {
  const host = ["--host", "::ffff:127.0.0.1"];
  const { output } = await startCommand("--port", "0", ...host);
  expect(output).toMatch(/control +http:\S+\n\nWarning: [^\n]*Control needs no key[^\n]*\n\nTry it:/);
  expect((await startCommand("--port", "0")).output).not.toContain("Warning");
});
