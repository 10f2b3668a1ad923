// @module-tag slow

import { exec } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { aDatabase } from "../test/api-client.js";
import { buildCommand, runCommand, startCommand } from "../test/command.js";
import { temporaryFolder } from "../test/folder.js";

beforeAll(buildCommand, 120_000);

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

test("a warning follows the address if other machines can reach control", async () => {
  const host = ["--host", "::ffff:127.0.0.1"];
  const { output } = await startCommand("--port", "0", ...host);
  expect(output).toMatch(/control +http:\S+\n\nWarning: [^\n]*Control needs no key[^\n]*\n\nTry it:/);
  expect((await startCommand("--port", "0")).output).not.toContain("Warning");
});
