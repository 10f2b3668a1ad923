import { z } from "zod";
import { invalid, notFound } from "../../core/errors.js";
import { emptyResponse, noBody, noParameters } from "../../core/fields.js";
import { findRow } from "../../core/find-row.js";
import { makeId } from "../../core/ids.js";
import { type Call, operationsWith } from "../../core/operation.js";
import { firstRun } from "../../core/recurrence.js";
import { requireStatus } from "../../core/transitions.js";
import type { Rows } from "../../state/rows.js";
import { planOf } from "./catalogue.js";
import type { DatabasesContext } from "./context.js";

const operation = operationsWith<DatabasesContext>();

/** Specification: "Backup schedule". `weekly` and which fields are required are assumed. */
const putBody = z.strictObject({
  frequency: z.enum(["daily", "weekly"]).meta({ example: "daily" }),
  hour_utc: z.int().min(0).max(23).meta({ example: 3 }),
  retention_days: z.int().min(1).max(30).meta({ example: 7 }),
  notify_on_complete: z.boolean().optional(),
});

const schedule = z.strictObject({
  frequency: z.string(),
  hour_utc: z.int(),
  retention_days: z.int(),
  notify_on_complete: z.boolean(),
});

function show({ frequency, hour_utc, retention_days, notify_on_complete }: Rows["schedules"]) {
  return { frequency, hour_utc, retention_days, notify_on_complete };
}

function find(call: Call<string, unknown, unknown>, databaseId: string): Rows["schedules"] {
  findRow(call, "databases", databaseId);
  const [row] = call.tables.schedules.find("database", databaseId);
  if (!row) throw notFound("backup schedule of a database", databaseId);
  return row;
}

export const backupScheduleOperations = [
  operation({
    id: "putBackupSchedule",
    summary: "Set the backup schedule of a database",
    basis: "documented",
    method: "PUT",
    path: "/databases/:id/backup-schedule",
    query: noParameters,
    body: putBody,
    success: 200,
    response: schedule,
    handle(call) {
      const { tenant, body, context } = call;
      const database = findRow(call, "databases", call.params.id);
      requireStatus(
        "database",
        database,
        ["provisioning", "updating", "ready", "failed"],
        "setting a backup schedule",
      );
      const kept = planOf(database.plan)?.retentionDays ?? 0;
      if (body.retention_days > kept) {
        throw invalid(`"retention_days" is at most ${kept} on the plan ${database.plan}.`, "retention_days");
      }
      const [before] = context.store.tables.schedules.find("database", database.id);
      const seq = before?.seq ?? context.store.tables.schedules.nextSeq(tenant);
      const row: Rows["schedules"] = {
        id: before?.id ?? makeId("schedule", seq, context.random),
        tenant,
        seq,
        database_id: database.id,
        frequency: body.frequency,
        hour_utc: body.hour_utc,
        retention_days: body.retention_days,
        notify_on_complete: body.notify_on_complete ?? false,
        // Setting the same schedule again keeps its next run.
        dueAt:
          before?.dueAt !== undefined &&
          before.frequency === body.frequency &&
          before.hour_utc === body.hour_utc
            ? before.dueAt
            : firstRun(body.hour_utc, context.clock.now()),
      };
      call.write((transaction) => transaction.put("schedules", row));
      return { data: show(row) };
    },
  }),
  operation({
    id: "getBackupSchedule",
    summary: "Read the backup schedule of a database",
    basis: "assumed",
    method: "GET",
    path: "/databases/:id/backup-schedule",
    query: noParameters,
    body: noBody,
    success: 200,
    response: schedule,
    handle: (call) => ({ data: show(find(call, call.params.id)) }),
  }),
  operation({
    id: "deleteBackupSchedule",
    summary: "Remove the backup schedule of a database",
    basis: "assumed",
    method: "DELETE",
    path: "/databases/:id/backup-schedule",
    query: noParameters,
    body: noBody,
    success: 200,
    response: emptyResponse,
    handle(call) {
      const row = find(call, call.params.id);
      call.write((transaction) => transaction.remove("schedules", row.id));
      return { data: {} };
    },
  }),
];
