import { z } from "zod";
import { nothing, operation } from "../core/operation.js";
import type { Integer, OpenText, ShapeOf } from "../core/shapes.js";
import { knownText } from "../core/wire.js";
import { openText } from "./fields.js";

/** A backup schedule in a response. The specification does not show the response, so each field may be absent. */
export interface BackupSchedule {
  /** How often a backup is made, such as `daily`. */
  readonly frequency?: OpenText<"daily"> | undefined;
  /** Hour of the day in UTC, 0 to 23. */
  readonly hourUtc?: Integer | undefined;
  /** How many days a backup is kept. */
  readonly retentionDays?: Integer | undefined;
  /** Whether the webhooks for `database.backup.completed` are notified. */
  readonly notifyOnComplete?: boolean | undefined;
}

/** A backup schedule to set. Specification: "Backup schedule (of a database)". */
export interface BackupScheduleInput {
  /** How often a backup is made. The specification shows `daily`. */
  readonly frequency: OpenText<"daily">;
  /** Hour of the day in UTC, 0 to 23. */
  readonly hourUtc: Integer;
  /** Days to keep a backup, at least 1; plans keep 7, 14 or 30. */
  readonly retentionDays: Integer;
  /** Whether webhooks for `database.backup.completed` are notified of each backup. Default false (assumed). */
  readonly notifyOnComplete?: boolean | undefined;
}

const backupSchedule = z.object({
  frequency: knownText<"daily">().optional(),
  hourUtc: z.int().optional(),
  retentionDays: z.int().optional(),
  notifyOnComplete: z.boolean().optional(),
} satisfies ShapeOf<BackupSchedule>);

export const setBackupSchedule = operation({
  call: "databases.setBackupSchedule",
  basis: "documented",
  method: "PUT",
  path: "/databases/:id/backup-schedule",
  section: "Backup schedule (of a database)",
  input: z.strictObject({
    frequency: openText<"daily">(),
    hourUtc: z.int().min(0).max(23),
    retentionDays: z.int().min(1),
    notifyOnComplete: z.boolean().optional(),
  } satisfies ShapeOf<BackupScheduleInput>),
  response: backupSchedule,
  bodyNotShown: true,
});

export const getBackupSchedule = operation({
  call: "databases.getBackupSchedule",
  basis: "assumed",
  method: "GET",
  path: "/databases/:id/backup-schedule",
  section: "Gaps in endpoints: read single resources",
  input: nothing,
  response: backupSchedule,
});

export const deleteBackupSchedule = operation({
  call: "databases.deleteBackupSchedule",
  basis: "assumed",
  method: "DELETE",
  path: "/databases/:id/backup-schedule",
  section: "Gaps in endpoints: delete single resources",
  input: nothing,
  response: nothing,
});

export const backupScheduleOperations = [setBackupSchedule, getBackupSchedule, deleteBackupSchedule] as const;
