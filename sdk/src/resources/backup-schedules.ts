import { z } from "zod";
import { nothing, operation } from "../core/operation.js";
import { openText } from "./fields.js";

const backupSchedule = z.object({
  /** How often a backup is made, such as `daily`. */
  frequency: z.string().optional(),
  /** Hour of the day in UTC, 0 to 23. */
  hourUtc: z.int().optional(),
  /** How many days a backup is kept. */
  retentionDays: z.int().optional(),
  /** Whether the webhooks for `database.backup.completed` are notified. */
  notifyOnComplete: z.boolean().optional(),
});

export const setBackupSchedule = operation({
  call: "databases.setBackupSchedule",
  basis: "documented",
  method: "PUT",
  path: "/databases/:id/backup-schedule",
  section: "Backup schedule (of a database)",
  input: z.strictObject({
    /** The specification shows `daily`. */
    frequency: openText<"daily">(),
    /** Hour of the day in UTC, 0 to 23. */
    hourUtc: z.int().min(0).max(23),
    /** Days to keep a backup, at least 1; plans keep 7, 14 or 30. */
    retentionDays: z.int().min(1),
    /** Whether webhooks for the event are notified of each backup. */
    notifyOnComplete: z.boolean().optional(),
  }),
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
  kind: "nothing",
});

export const backupScheduleOperations = [setBackupSchedule, getBackupSchedule, deleteBackupSchedule] as const;

/** Specification: "Backup schedule". */
export type BackupSchedule = z.output<typeof backupSchedule>;
/** Specification: "Backup schedule (of a database)". */
export type BackupScheduleInput = z.input<typeof setBackupSchedule.input>;
