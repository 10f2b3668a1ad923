// @module-tag slow

import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, expect, test, vi } from "vitest";
import { aDatabase, apiClientFor, aServer, sandboxFor } from "../../test/api-client.js";
import { createScheduled, DAY_MS, nextBackup } from "../../test/backups.js";
import { buildCommand } from "../../test/command.js";
import { content, readContent } from "../../test/database-content.js";
import { temporaryFolder } from "../../test/folder.js";
import { inboxOf, messagesOf } from "../../test/mail.js";
import { databaseOf, sql } from "../../test/postgres.js";
import type { Sandbox } from "../sandbox.js";

// The thread that dumps starts from the compiled file.
beforeAll(buildCommand, 120_000);

const real = { postgres: "real", provisioning: { databaseMs: 0 } } as const;

async function aFile(): Promise<string> {
  return join(await temporaryFolder(), "state.gz");
}

/** Changes the lines of a state file. */
async function edited(file: string, change: (text: string) => string): Promise<string> {
  const other = await aFile();
  await writeFile(other, gzipSync(change(gunzipSync(await readFile(file)).toString())));
  return other;
}

async function upload(sandbox: Sandbox, file: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${sandbox.url}/_sandbox/state`, {
    method: "PUT",
    body: await readFile(file),
  });
  return { status: response.status, text: await response.text() };
}

test("all state moves in one file, with the content of real databases and their backups", {
  timeout: 240_000,
}, async () => {
  const source = await sandboxFor(real);
  const call = apiClientFor(source);
  source.clock.freeze(new Date("2030-01-01T12:00:00Z"));
  const database = await createScheduled(call);
  await sql(database.uri, "CREATE TABLE early AS SELECT 1 AS n");
  const backup = await nextBackup(source, database.id);
  await sql(database.uri, ...content);
  await call("POST", "/databases", { ...aDatabase, name: "cache", engine: "redis", version: "7.2" });
  await call("POST", "/vps/instances", aServer);
  await call("POST", "/shortener/links", { url: "https://example.com/a", slug: "here" });
  const inbox = await inboxOf(call, { ttl_minutes: 1440 });
  await source.sendMail({
    to: inbox.address,
    subject: "Hello",
    attachments: [{ filename: "a", content: "b" }],
  });
  const downloaded = await fetch(`${source.url}/_sandbox/state`);
  expect(downloaded.headers.get("content-type")).toBe("application/gzip");
  const file = await aFile();
  await writeFile(file, Buffer.from(await downloaded.arrayBuffer()));
  const expected = await readContent(database.uri);

  const target = await sandboxFor({ ...real, data: await temporaryFolder(), allowOutbound: false });
  const there = apiClientFor(target);

  // A state that cannot be loaded completely leaves nothing, not even on the server.
  const broken = await edited(file, (text) => text.replace("CREATE TABLE public.child", "CREATE NONSENSE"));
  const refused = await upload(target, broken);
  expect(refused.status).toBe(409);
  expect(refused.text).toMatch(/was not imported: syntax error/);
  expect([target.resources(), target.backups()]).toEqual([[], []]);

  expect(await upload(target, file)).toEqual({ status: 200, text: "{}" });
  const withoutAddress = (sandbox: Sandbox) =>
    sandbox.resources().map(({ fields: { domain: _, ...fields }, ...rest }) => ({ ...rest, fields }));
  expect(withoutAddress(target)).toEqual(withoutAddress(source));
  expect(target.clock.now()).toBe(source.clock.now());
  const { connection_uri: uri } = databaseOf((await there("GET", `/databases/${database.id}`)).data);
  const [before, after] = [new URL(database.uri), new URL(uri)];
  expect(after.port).not.toBe(before.port);
  expect([after.username, after.password, after.pathname]).toEqual([
    before.username,
    before.password,
    before.pathname,
  ]);
  expect(await readContent(uri)).toEqual(expected);
  expect(await messagesOf(there, inbox.id)).toEqual(await messagesOf(call, inbox.id));
  const visit = await fetch(`${target.url}/here`, { redirect: "manual" });
  expect(visit.headers.get("location")).toBe("https://example.com/a");

  // Backups come along, and the schedule continues.
  await target.restoreBackup(backup.backup_id);
  await expect(sql(uri, "SELECT * FROM parent")).rejects.toThrow(/does not exist/);
  expect(await sql(uri, "SELECT n FROM early")).toEqual([{ n: 1 }]);
  await target.clock.advance(DAY_MS);
  expect(target.backups({ database: database.id })).toHaveLength(2);

  expect(await upload(target, file)).toMatchObject({
    status: 409,
    text: expect.stringContaining("reset it first"),
  });
  const simulated = await sandboxFor();
  await expect(simulated.importState(file)).rejects.toThrow(/--postgres real/);
  expect(simulated.resources()).toEqual([]);
});

test("an export leaves out what is deleted meanwhile, and fails without a backup's dump", {
  timeout: 120_000,
}, async () => {
  const data = await temporaryFolder();
  const source = await sandboxFor({ ...real, data });
  const call = apiClientFor(source);
  source.clock.freeze(new Date("2030-01-01T12:00:00Z"));
  const kept = await createScheduled(call);
  const backup = await nextBackup(source, kept.id);
  const leaving = await createScheduled(call);
  const file = await aFile();
  const exporting = source.exportState(file);
  // The file exists once the rows have been collected.
  await vi.waitFor(() => stat(file), { timeout: 10_000, interval: 1 });
  await source.remove(leaving.id);
  await exporting;
  const lines = gunzipSync(await readFile(file)).toString();
  expect(lines).toContain(`"id":"${kept.id}","row"`);
  expect(lines).toContain(`{"of":"backup","id":"${backup.backup_id}"`);
  expect(lines).not.toContain(leaving.id);

  await rm(join(data, "backups", `${backup.backup_id}.sql`));
  await expect(source.exportState(file)).rejects.toThrow(
    `The backup "${backup.backup_id}" has lost its dump.`,
  );
});

test("databases of a simulated sandbox become real and empty ones", { timeout: 120_000 }, async () => {
  const source = await sandboxFor({ provisioning: { databaseMs: 0 } });
  const { id } = await apiClientFor(source)("POST", "/databases", aDatabase);
  const file = await aFile();
  await source.exportState(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const same = await sandboxFor();
  await same.importState(file);
  expect(same.resources()).toEqual(source.resources());
  const target = await sandboxFor(real);
  await target.importState(file);
  const { connection_uri } = databaseOf((await apiClientFor(target)("GET", `/databases/${id}`)).data);
  expect(
    await sql(connection_uri, "SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'"),
  ).toEqual([{ n: 0 }]);
});

test("names, passwords and ids of a state reach neither PostgreSQL nor paths", {
  timeout: 120_000,
}, async () => {
  const source = await sandboxFor({ provisioning: { databaseMs: 0 } });
  const { id } = await apiClientFor(source)("POST", "/databases", aDatabase);
  const file = await aFile();
  await source.exportState(file);
  const withPassword = (password: string) =>
    edited(file, (text) => text.replace(/"password":"\w+"/, `"password":${JSON.stringify(password)}`));
  const renamed = await edited(file, (text) =>
    text
      .replace(/"username":"\w+"/, '"username":"sandbox_admin"')
      .replace(/"database":"\w+"/, '"database":"postgres"'),
  );
  const content = JSON.stringify({ of: "database", id, sql: "CREATE NONSENSE;" });
  const failing = await edited(renamed, (text) => text.replace(/(?=\{"rows")/, `${content}\n`));
  const target = await sandboxFor({ ...real, data: await temporaryFolder() });

  // The cleanup after the failure concerns only what the import created.
  await expect(target.importState(failing)).rejects.toThrow(/was not imported: syntax error/);
  const intrusion = "x'; CREATE ROLE intruder; --";
  await expect(target.importState(await withPassword(intrusion))).rejects.toThrow(/invalid credentials/);
  for (const path of ["../../escaped", "db_1/../../escaped"]) {
    const elsewhere = await edited(file, (text) => text.replaceAll(String(id), path));
    await expect(target.importState(elsewhere)).rejects.toThrow(/a line is unknown/);
  }
  expect(target.resources()).toEqual([]);

  await target.importState(renamed);
  const created = databaseOf((await apiClientFor(target)("GET", `/databases/${id}`)).data);
  const suffix = String(id).slice(-10);
  expect(created).toMatchObject({ database: `db_${suffix}`, username: `user_${suffix}` });
  expect(await sql(created.connection_uri, "SELECT current_user::text AS me")).toEqual([
    { me: created.username },
  ]);
  expect(
    await sql(created.connection_uri, "SELECT rolname FROM pg_roles WHERE rolname = 'intruder'"),
  ).toEqual([]);
});

test("a file that is damaged, of something else or of a newer sandbox changes nothing", async () => {
  const source = await sandboxFor();
  await apiClientFor(source)("POST", "/shortener/links", { url: "https://example.com/" });
  const file = await aFile();
  await source.exportState(file);
  const bytes = await readFile(file);
  const [torn, text] = [await aFile(), await aFile()];
  await writeFile(torn, bytes.subarray(0, bytes.length - 20));
  await writeFile(text, "no state");
  const target = await sandboxFor();
  for (const [wrong, reason] of [
    [torn, /no complete state file: unexpected end of file/],
    [text, /no complete state file: incorrect header/],
    [await edited(file, (lines) => lines.replace(/\{"rows":.*\n$/, "")), /its end is missing/],
    [await edited(file, (lines) => lines.replace('"rows":1', '"rows":2')), /its end is missing/],
    [await edited(file, (lines) => lines.replace('"table":"links"', '"table":"lynx"')), /a line is unknown/],
    [await edited(file, (lines) => lines.replace('"slug"', '"slugs"')), /an invalid row "link_/],
    [await edited(file, (lines) => lines.replace(/"format":\d+/, '"format":99')), /A newer sandbox/],
  ] as const) {
    await expect(target.importState(wrong)).rejects.toThrow(reason);
    expect((await upload(target, wrong)).status).toBe(400);
    expect(target.resources()).toEqual([]);
  }
  const foreign = await fetch(`${target.url}/_sandbox/state`, {
    method: "PUT",
    headers: { origin: "https://evil.example" },
    body: bytes,
  });
  expect(foreign.status).toBe(403);
  await target.importState(file);
  expect(target.resources()).toHaveLength(1);
});
