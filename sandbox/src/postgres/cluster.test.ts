// @module-tag slow

import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/folder.js";
import { makeCertificate } from "../core/certificate.js";
import { accountFor, binariesFor } from "./binaries.js";
import { makeCluster, placeCertificate } from "./cluster.js";

const run = promisify(execFile);
const account = accountFor(process.getuid?.());

/** A folder for a cluster, and an initdb that writes down how it was called before `then`. */
async function aPlace(then = 'exec "$REAL" "$@"') {
  const home = await temporaryFolder();
  await chmod(home, 0o777);
  const binaries = await binariesFor(home, account);
  const [calls, initdb] = [join(home, "calls"), join(home, "initdb")];
  await writeFile(initdb, `#!/bin/sh\nREAL=${binaries.initdb}\necho "$@" >> ${calls}\n${then}\n`);
  await chmod(initdb, 0o755);
  const called = async () => (await readFile(calls, "utf8")).trim().split("\n");
  return { home, binaries, wrapped: { ...binaries, initdb }, called };
}

test("the files of a server that is to be kept are synced, others are not", async () => {
  const kept = await aPlace();
  await makeCluster(kept.wrapped, { home: kept.home, account, isKept: true });
  expect(await kept.called()).toEqual([expect.not.stringContaining("sync")]);
  const fleeting = await aPlace();
  await makeCluster(fleeting.wrapped, { home: fleeting.home, account, isKept: false });
  expect(await fleeting.called()).toEqual([expect.stringContaining("--no-sync")]);
});

test("an initdb that was interrupted leaves nothing behind that looks like a server's files", async () => {
  const { home, binaries, wrapped } = await aPlace(
    'mkdir "$2/base" && echo 16 > "$2/PG_VERSION" && kill -9 $$',
  );
  const place = { home, account, isKept: true };
  await expect(makeCluster(wrapped, place)).rejects.toThrow();
  expect(await readdir(home)).not.toContain("data");
  const data = await makeCluster(binaries, place);
  await run(binaries.postgres, ["-D", data, "-C", "data_directory"], { ...account, cwd: "/" });
  expect(await readdir(home)).not.toContainEqual(expect.stringContaining("unfinished"));
  expect(await makeCluster(wrapped, place)).toBe(data);
});

test("half a certificate is replaced, and its copy follows it", async () => {
  const { home } = await aPlace();
  const place = { home, account, isKept: true };
  const data = join(home, "data");
  await mkdir(data);
  await writeFile(join(data, "server.key"), "half");
  await writeFile(join(home, "root.crt"), "");
  const certificate = await makeCertificate(new Date());
  const path = await placeCertificate(certificate, data, place);
  expect(await readFile(join(data, "server.key"), "utf8")).toBe(certificate.key);
  expect(await readFile(join(data, "server.crt"), "utf8")).toBe(certificate.certificate);
  expect(await readFile(path, "utf8")).toBe(certificate.certificate);
  expect((await stat(join(data, "server.key"))).mode & 0o777).toBe(0o600);
});
