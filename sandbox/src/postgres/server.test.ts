// @module-tag slow

import { spawn } from "node:child_process";
import { chmod, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/folder.js";
import { fixedPort } from "../../test/port.js";
import { certificateSource } from "../core/certificate.js";
import { accountFor } from "./binaries.js";
import { type PostgresServer, type ServerOptions, startServer } from "./server.js";

async function started(options: Partial<ServerOptions>): Promise<PostgresServer> {
  const server = await startServer({
    folder: undefined,
    port: 0,
    certificate: certificateSource(undefined, undefined),
    report: () => {},
    ...options,
  });
  onTestFinished(() => server.stop());
  return server;
}

/** That every user may pass through, as the sandbox makes its own. */
async function aFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o711);
  return folder;
}

async function takenPort(): Promise<number> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  return Object(other.address()).port;
}

/** The process id of something that runs as the server would. */
function otherProcess(): number {
  const child = spawn("sleep", ["600"], { ...accountFor(process.getuid?.()), stdio: "ignore" });
  onTestFinished(() => void child.kill());
  return child.pid ?? 0;
}

async function ownThread(): Promise<number> {
  const threads = await readdir("/proc/self/task").catch(() => []);
  return Number(threads.find((id) => Number(id) !== process.pid) ?? process.pid);
}

test("a port that another process takes first does not matter if any port is allowed", async () => {
  const ports = [await takenPort(), await fixedPort()];
  const server = await started({ findPort: async () => ports.shift() ?? 0 });
  expect(ports).toEqual([]);
  await server.ready();
  await expect(started({ port: await takenPort() })).rejects.toThrow(/in use/);
});

test("a process id in a left postmaster.pid that is another's now does not keep the server from starting", async () => {
  const folder = await aFolder();
  const first = await started({ folder });
  await first.stop();
  const left = join(folder, "data", "postmaster.pid");
  const rest = `${join(folder, "data")}\n${Math.floor(Date.now() / 1000)}\n5432\n/tmp\n127.0.0.1\n`;
  for (const pid of [otherProcess(), process.pid, await ownThread(), 1, -otherProcess()]) {
    await writeFile(left, `${pid}\n${rest}`, { mode: 0o666 });
    const at = performance.now();
    const server = await started({ folder });
    expect(performance.now() - at).toBeLessThan(12_000);
    await server.stop();
  }
  // A power cut can leave it empty.
  for (const text of ["", "nonsense"]) {
    await writeFile(left, text);
    await (await started({ folder })).stop();
  }
});

test("a server that still runs on the data is waited for, and then said to be in the way", async () => {
  const folder = await aFolder();
  await started({ folder });
  await expect(started({ folder })).rejects.toThrow(/Another PostgreSQL \(process \d+\) holds/);
});

test("what is kept is kept through a power cut, by the server's settings", async () => {
  const server = await started({ folder: await aFolder() });
  const { administer } = await import("./administer.js");
  const settings = await administer(server, async (query) => {
    const names = "'fsync', 'full_page_writes', 'synchronous_commit'";
    return (await query(`SELECT setting FROM pg_settings WHERE name IN (${names})`)).rows;
  });
  expect(settings).toEqual([{ setting: "on" }, { setting: "on" }, { setting: "on" }]);
});
