import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { type ApiClient, aDatabase, apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { temporaryFolder } from "../../../test/folder.js";
import { idPattern } from "../../core/ids.js";
import type { Sandbox, SandboxOptions } from "../../index.js";

const DAY_MS = 86_400_000;
const schedule = { frequency: "daily", hour_utc: 3, retention_days: 7, notify_on_complete: true };
const secret = "a-shared-secret";

/** A receiver that keeps what is signed with the secret. */
async function receiver(): Promise<{ url: string; received: unknown[] }> {
  const received: unknown[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const headers = JSON.parse(JSON.stringify(request.headers));
    received.push(new Webhook(secret, { format: "raw" }).verify(Buffer.concat(parts).toString(), headers));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${Object(server.address()).port}/hooks`, received };
}

interface Set {
  readonly sandbox: Sandbox;
  readonly call: ApiClient;
  readonly id: string;
  readonly received: unknown[];
}

/** A simulated database with a schedule, at noon, and a subscribed webhook. */
async function scheduled(fields: object = {}, options: SandboxOptions = {}): Promise<Set> {
  const sandbox = await sandboxFor({ ...options, provisioning: { databaseMs: 0 } });
  sandbox.clock.freeze(new Date("2030-01-01T12:00:00Z"));
  const call = apiClientFor(sandbox);
  const { url, received } = await receiver();
  const events = ["database.backup.completed", "database.backup.failed"];
  await call("POST", "/webhooks", { url, events, secret });
  const { id } = await call("POST", "/databases", aDatabase);
  await call("PUT", `/databases/${id}/backup-schedule`, { ...schedule, ...fields });
  return { sandbox, call, id, received };
}

const starts = (sandbox: Sandbox) => sandbox.backups().map(({ started_at }) => started_at.slice(0, 16));

test("a week has seven backups at their hour, each with the documented record", async () => {
  const { sandbox, id, received } = await scheduled({ retention_days: 7 });
  for (let day = 1; day <= 7; day++) await sandbox.clock.advance(DAY_MS);
  expect(starts(sandbox)).toEqual([2, 3, 4, 5, 6, 7, 8].map((day) => `2030-01-0${day}T03:00`));
  expect(received).toHaveLength(7);
  expect(received[0]).toEqual({
    event: "database.backup.completed",
    data: {
      backup_id: sandbox.backups()[0]?.backup_id,
      database_id: id,
      database_name: "orders",
      size_mb: 0,
      duration_seconds: 0,
      completed_at: "2030-01-02T03:00:00.000Z",
      download_url_expires_at: "2030-01-09T03:00:00.000Z",
    },
  });
  // Specification: "each kind carries a type prefix".
  expect(sandbox.backups().every(({ backup_id }) => idPattern("bk").test(backup_id))).toBe(true);
});

test("the same in one step", async () => {
  const { sandbox, received } = await scheduled();
  await sandbox.clock.advance(6 * DAY_MS);
  expect(starts(sandbox)).toEqual([2, 3, 4, 5, 6, 7].map((day) => `2030-01-0${day}T03:00`));
  expect(received).toHaveLength(6);
});

test("a simulated database has no dump, and says so", async () => {
  const { sandbox } = await scheduled();
  await sandbox.clock.advance(DAY_MS);
  const [backup] = sandbox.backups();
  expect(backup).toMatchObject({ status: "completed", simulated: true, bytes: 0, dump: undefined });
  await expect(sandbox.restoreBackup(backup?.backup_id ?? "")).rejects.toThrow(/simulated/);
  const url = `${sandbox.url}/_sandbox/backups`;
  expect(await (await fetch(url)).json()).toEqual(JSON.parse(JSON.stringify(sandbox.backups())));
  expect(await (await fetch(`${url}?database=db_none`)).json()).toEqual([]);
  expect((await fetch(`${url}/${backup?.backup_id}/restore`, { method: "POST" })).status).toBe(400);
});

test("without notify_on_complete, failures send an event and completions do not", async () => {
  const { sandbox, id, received } = await scheduled({ notify_on_complete: false });
  await sandbox.clock.advance(DAY_MS);
  expect(received).toEqual([]);
  sandbox.progress("backup", { mode: "fail", reason: "no space left" }, { next: 1 });
  await sandbox.clock.advance(DAY_MS);
  const failed = sandbox.backups()[1];
  expect(failed).toMatchObject({ status: "failed", reason: "no space left" });
  expect(received).toEqual([
    {
      event: "database.backup.failed",
      data: {
        backup_id: failed?.backup_id,
        database_id: id,
        database_name: "orders",
        reason: "no space left",
        failed_at: "2030-01-03T03:00:00.000Z",
      },
    },
  ]);
  await sandbox.clock.advance(DAY_MS);
  expect(sandbox.backups()[2]).toMatchObject({ status: "completed" });
});

test("a weekly backup comes every seven days, and setting the same again does not put it off", async () => {
  const { sandbox, call, id } = await scheduled({ frequency: "weekly" });
  await sandbox.clock.advance(12 * 3_600_000);
  await call("PUT", `/databases/${id}/backup-schedule`, {
    ...schedule,
    frequency: "weekly",
    retention_days: 5,
  });
  expect(starts(sandbox)).toEqual([]);
  await sandbox.clock.advance(DAY_MS);
  expect(starts(sandbox)).toEqual(["2030-01-02T03:00"]);
  await call("PUT", `/databases/${id}/backup-schedule`, { ...schedule, frequency: "weekly" });
  await sandbox.clock.advance(6 * DAY_MS);
  expect(starts(sandbox)).toEqual([]);
  await sandbox.clock.advance(DAY_MS);
  expect(starts(sandbox)).toEqual(["2030-01-09T03:00"]);
  await call("PUT", `/databases/${id}/backup-schedule`, { ...schedule, hour_utc: 20 });
  await sandbox.clock.advance(DAY_MS);
  expect(starts(sandbox)).toEqual(["2030-01-09T03:00", "2030-01-10T20:00"]);
});

test("an hour that is changed out of band counts from the next turn on", async () => {
  const { sandbox, id } = await scheduled();
  const backupSchedule = sandbox.resources().find(({ kind }) => kind === "BackupSchedule");
  expect(backupSchedule?.fields["database_id"]).toBe(id);
  sandbox.change(backupSchedule?.id ?? "", { hour_utc: 9 });
  await sandbox.clock.advance(DAY_MS);
  expect(starts(sandbox)).toEqual(["2030-01-02T09:00"]);
});

test("a century passes in no time, with the backups that are left at its end", async () => {
  const { sandbox, received } = await scheduled();
  await sandbox.clock.advance(36_500 * DAY_MS);
  expect(sandbox.backups()).toHaveLength(7);
  expect(received).toHaveLength(7);
});

test("however long the clock jumped, one backup is made of what is there now", async () => {
  const { sandbox, call, id } = await scheduled();
  sandbox.clock.freeze(new Date("2030-02-01T12:00:00Z"));
  await call("GET", `/databases/${id}`);
  await sandbox.clock.advance(0);
  expect(starts(sandbox)).toEqual(["2030-02-01T12:00"]);
  await sandbox.clock.advance(DAY_MS);
  expect(starts(sandbox)).toEqual(["2030-02-01T12:00", "2030-02-02T03:00"]);
});

test("one at a time: where the one before still runs, the next fails; with its database, it fails as well", async () => {
  const { sandbox, call, id, received } = await scheduled();
  sandbox.progress("backup", { mode: "stuck" }, { next: 1 });
  await sandbox.clock.advance(2 * DAY_MS);
  const states = () => sandbox.backups().map(({ status, reason }) => [status, reason]);
  expect(states()).toEqual([
    ["running", undefined],
    ["failed", "The previous backup is still running."],
  ]);
  await call("DELETE", `/databases/${id}`);
  expect(states()).toEqual([
    ["failed", "The database was deleted before it was backed up."],
    ["failed", "The previous backup is still running."],
  ]);
  await sandbox.clock.advance(DAY_MS);
  expect(received).toMatchObject([{ event: "database.backup.failed" }, { event: "database.backup.failed" }]);
});

test("a backup takes the time that it is given, and its database must be usable at the end of it", async () => {
  const { sandbox, id } = await scheduled();
  sandbox.progress("backup", { mode: "time", ms: 3_600_000 });
  await sandbox.clock.advance(DAY_MS);
  expect(sandbox.backups()[0]).toMatchObject({ ended_at: "2030-01-02T04:00:00.000Z" });
  sandbox.change(id, { status: "provisioning" });
  await sandbox.clock.advance(DAY_MS);
  expect(sandbox.backups()[1]).toMatchObject({ status: "failed", reason: "The database is provisioning." });
  expect(() => sandbox.progress("backup", { mode: "reads", reads: 1 })).toThrow(/no request reads a backup/);
});

test("a backup is kept for its days, whatever becomes of its schedule and its database; a reset takes it", async () => {
  const { sandbox, call, id } = await scheduled({ retention_days: 2 });
  await sandbox.clock.advance(DAY_MS);
  await call("DELETE", `/databases/${id}/backup-schedule`);
  await sandbox.clock.advance(DAY_MS);
  await call("DELETE", `/databases/${id}`);
  expect(starts(sandbox)).toEqual(["2030-01-02T03:00"]);
  expect(sandbox.backups()[0]?.expires_at).toBe("2030-01-04T03:00:00.000Z");
  await sandbox.clock.advance(DAY_MS);
  expect(sandbox.backups()).toEqual([]);
  const other = await scheduled();
  await other.sandbox.clock.advance(DAY_MS);
  expect(other.sandbox.backups({ tenant: "local" })).toHaveLength(1);
  await other.sandbox.reset("other");
  expect(other.sandbox.backups()).toHaveLength(1);
  await other.sandbox.reset();
  expect(other.sandbox.backups()).toEqual([]);
});

test.each([1e9, -1e9, Number.MAX_SAFE_INTEGER])(
  "however long %d days are, the sandbox goes on, and starts again",
  async (days) => {
    const data = await temporaryFolder();
    const { sandbox, received } = await scheduled({}, { data });
    const backupSchedule = sandbox.resources().find(({ kind }) => kind === "BackupSchedule");
    sandbox.change(backupSchedule?.id ?? "", { retention_days: days });
    await sandbox.clock.advance(2 * DAY_MS);
    const backups = sandbox.backups();
    expect(backups.map(({ status }) => status)).toEqual(days > 0 ? ["completed", "completed"] : []);
    expect(received).toHaveLength(backups.length);
    for (const { expires_at } of backups) expect(expires_at).toBe("+275760-09-13T00:00:00.000Z");
    await sandbox.close();
    const again = await sandboxFor({ data });
    expect(again.backups()).toEqual(backups);
    await again.clock.advance(DAY_MS);
  },
);
