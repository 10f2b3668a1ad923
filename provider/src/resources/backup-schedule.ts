import type { BackupSchedule as RemoteSchedule } from "cloudservices-sdk";
import type { Args } from "../args.js";
import { type InputsOf, kindOf, type OutputsOf } from "../kernel/definition/define-kind.js";
import { flag, integer, openText, text } from "../kernel/definition/fields.js";
import { IMMEDIATE } from "../kernel/definition/timeouts.js";
import { retentionRule } from "./backup-retention.js";

/** The schedule with its database, which identifies it and which responses do not contain. */
interface Schedule extends RemoteSchedule {
  readonly databaseId: string;
}

const { defineKind, input, optionalInput } = kindOf<Schedule>();

/** Specification: "Backup schedule (of a database)". */
export const backupSchedule = defineKind({
  name: "BackupSchedule",
  inputs: {
    /** The database to back up. */
    databaseId: input(text(), { onChange: "replace", from: (remote) => remote.databaseId }),
    /** How often. The specification shows only `daily`; the service validates others. */
    frequency: input(openText<"daily">(), {
      onChange: "update",
      documentedChange: true,
      from: (remote) => remote.frequency,
    }),
    /** The hour of the day, in UTC, at which the backup runs: 0 to 23. */
    hourUtc: input(integer(0, 23), {
      onChange: "update",
      documentedChange: true,
      from: (remote) => remote.hourUtc,
    }),
    /** How many days a backup is kept. The database's plan sets the maximum. */
    retentionDays: input(integer(1, 3_650), {
      onChange: "update",
      documentedChange: true,
      from: (remote) => remote.retentionDays,
    }),
    /** Whether `database.backup.completed` is sent to the webhooks. Default: false. */
    notifyOnComplete: optionalInput(flag(), {
      onChange: "update",
      default: false,
      documentedChange: true,
      from: (remote) => remote.notifyOnComplete,
    }),
  },
  outputs: {},
  timeouts: IMMEDIATE,
  createIsIdempotent: true,
  idFrom: "databaseId",
  owner: "Database",

  id: (remote) => remote.databaseId,
  create: async (api, { databaseId, ...schedule }) => ({
    ...(await api.databases.setBackupSchedule(databaseId, schedule)),
    databaseId,
  }),
  read: async (api, databaseId) => ({ ...(await api.databases.getBackupSchedule(databaseId)), databaseId }),
  update: async (api, databaseId, _changes, { after: { databaseId: _same, ...schedule } }) => ({
    ...(await api.databases.setBackupSchedule(databaseId, schedule)),
    databaseId,
  }),
  delete: (api, databaseId) => api.databases.deleteBackupSchedule(databaseId),
  afterRemoval: "While it exists, the service makes its backups.",

  async isParentDeleted(api, databaseId) {
    for await (const { id } of api.databases.list({ limit: 100 })) if (id === databaseId) return false;
    return true;
  },

  validate: retentionRule,
});

export interface BackupScheduleInputs extends InputsOf<typeof backupSchedule> {}
export interface BackupScheduleOutputs extends OutputsOf<typeof backupSchedule> {}

export type BackupScheduleArgs = Args<BackupScheduleInputs>;
