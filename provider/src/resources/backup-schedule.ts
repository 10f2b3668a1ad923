import { databasePlans, type BackupSchedule as RemoteSchedule } from "cloudservices-sdk";
import { flag, integer, text } from "../kernel/definition/fields.js";
import { type CheckFailure, defineKind, type Planned } from "../kernel/definition/kind.js";
import { IMMEDIATE } from "../kernel/definition/timeouts.js";
import { type Args, type ResourceOptions, resourceOf } from "../resource.js";

export interface BackupScheduleInputs {
  /** The database to back up. */
  databaseId: string;
  /** How often. The specification shows only `daily`; the service validates others. */
  frequency: "daily" | (string & {});
  /** The hour of the day, in UTC, at which the backup runs: 0 to 23. */
  hourUtc: number;
  /** How many days a backup is kept. The database's plan sets the maximum. */
  retentionDays: number;
  /** Whether `database.backup.completed` is sent to the webhooks. Default: false. */
  notifyOnComplete?: boolean | undefined;
}

export type BackupScheduleOutputs = Record<never, never>;

/** The schedule with its database, which identifies it and which responses do not contain. */
type Schedule = RemoteSchedule & { readonly databaseId: string };

/** The hidden input with the plan of a database that declares its own schedule. */
export const PLAN_KEY = "__plan";

/** Specification: "Backup schedule (of a database)". */
export const backupSchedule = defineKind<BackupScheduleInputs, BackupScheduleOutputs, Schedule>({
  name: "BackupSchedule",
  inputs: {
    databaseId: { schema: text(), onChange: "replace", from: (remote) => remote.databaseId },
    frequency: {
      schema: text(),
      onChange: "update",
      documentedChange: true,
      from: (remote) => remote.frequency,
    },
    hourUtc: {
      schema: integer(0, 23),
      onChange: "update",
      documentedChange: true,
      from: (remote) => remote.hourUtc,
    },
    retentionDays: {
      schema: integer(1, 3_650),
      onChange: "update",
      documentedChange: true,
      from: (remote) => remote.retentionDays,
    },
    notifyOnComplete: {
      schema: flag(),
      onChange: "update",
      optional: true,
      default: false,
      documentedChange: true,
      from: (remote) => remote.notifyOnComplete,
    },
  },
  outputs: {},
  timeouts: IMMEDIATE,
  createIsIdempotent: true,
  idFrom: ({ databaseId }) => databaseId,
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

/** Specification: "Database", Plan tiers, Backup retention. */
function retentionRule(planned: Planned<BackupScheduleInputs>): CheckFailure[] {
  const days = planned.after("retentionDays");
  const plan = databasePlans.find(({ id }) => id === planned.hint(PLAN_KEY));
  if (days === undefined || plan === undefined || planned.settings.allowUnlisted) return [];
  if (days <= plan.backupRetentionDays) return [];
  const reason =
    `is more than the ${plan.backupRetentionDays} days for which the plan ${plan.id} keeps backups. ` +
    "To use it anyway, set cloudservices:allowUnlisted to true";
  return [{ property: "retentionDays", reason }];
}

export type BackupScheduleArgs = Args<BackupScheduleInputs>;

/**
 * When a database is backed up, and how long the backups are kept. A database has one schedule: declaring it overwrites
 * the existing one. The input `backupSchedule` of a Database declares it in one line. If `databaseId` is an output of a
 * Database in the program, the preview rejects a retention that its plan does not support.
 *
 * @example
 * ```ts
 * new BackupSchedule("nightly", { databaseId: orders.id, frequency: "daily", hourUtc: 3, retentionDays: 14 });
 * ```
 */
export class BackupSchedule extends resourceOf<
  BackupScheduleInputs,
  BackupScheduleOutputs,
  Schedule,
  BackupScheduleArgs
>(backupSchedule) {
  /**
   * Declares a schedule.
   *
   * @param name - The name in the program, unique among the schedules.
   * @param args - The inputs. The preview reports all invalid ones at once.
   * @param opts - The engine's options; `customTimeouts` limits each operation.
   */
  constructor(name: string, args: BackupScheduleArgs, opts?: ResourceOptions) {
    const planned = { [PLAN_KEY]: planBehind(args.databaseId), ...args };
    super(name, planned, opts);
  }
}

/** Returns the plan of the database whose output an id is. The engine's library tracks the resource of an output. */
function planBehind(id: unknown): unknown {
  const resources: unknown =
    typeof id === "object" && id !== null && "resources" in id && typeof id.resources === "function"
      ? id.resources()
      : [];
  const owners = resources instanceof Set ? [...resources] : [];
  const [database, ...others] = owners.filter((owner) => isDatabase(owner));
  return others.length === 0 ? database?.plan : undefined;
}

const isDatabase = (value: unknown): value is { plan: unknown } =>
  typeof value === "object" &&
  value !== null &&
  "plan" in value &&
  "__pulumiType" in value &&
  value.__pulumiType === "pulumi-nodejs:dynamic/cloudservices:Database";
