// @module-tag slow

import { spawn } from "node:child_process";
import { once } from "node:events";
import { beforeAll, expect, test } from "vitest";
import { buildCommand } from "../../test/command.js";
import { temporaryFolder } from "../../test/folder.js";

beforeAll(buildCommand, 120_000);

const guardModule = new URL("../../dist/postgres/guard.js", import.meta.url).href;

test("a server that does not stop in order is stopped at once when its sandbox was killed", async () => {
  const stubborn = spawn(process.execPath, [
    "-e",
    "process.on('SIGINT', () => {}); setInterval(() => {}, 1_000); console.log('ready')",
  ]);
  await once(stubborn.stdout, "data");
  const ended = once(stubborn, "exit");
  const program = `import { startGuard } from ${JSON.stringify(guardModule)};
    startGuard(process.argv[1]).watch(${stubborn.pid}); setInterval(() => {}, 1_000); console.log("watching");`;
  const sandbox = spawn(process.execPath, ["--input-type=module", "-e", program, await temporaryFolder()]);
  await once(sandbox.stdout, "data");
  sandbox.kill("SIGKILL");
  expect(await ended).toEqual([null, "SIGQUIT"]);
});
