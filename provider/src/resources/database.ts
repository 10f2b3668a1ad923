import type { Input } from "@pulumi/pulumi";
import {
  ConflictError,
  type DatabasePlan,
  type DatabasePlanId,
  type databaseEngines,
  databasePlans,
  type Database as RemoteDatabase,
} from "cloudservices-sdk";
import { given } from "../kernel/definition/changes.js";
import { flag, sameWord, text } from "../kernel/definition/fields.js";
import { defineKind } from "../kernel/definition/kind.js";
import { cannotShrink } from "../kernel/definition/rules.js";
import { type Adoptable, type Args, type ResourceOptions, resourceOf } from "../resource.js";
import { BackupSchedule, type BackupScheduleArgs, PLAN_KEY } from "./backup-schedule.js";
import { isWithin, versionNotes, versionRules } from "./database-version.js";

type PostgresqlVersion = Extract<(typeof databaseEngines)[number], { id: "postgresql" }>["versions"][number];

export interface DatabaseInputs {
  /** The name of the cluster. Without it, the resource's name with a short hash. Drift is seen. */
  name?: string | undefined;
  /** The engine. `postgresql` is the one that the specification shows; the service judges others. */
  engine: "postgresql" | (string & {});
  /** The major version, such as `16`; the service chooses the minor. It can go up in place; down only by a new database, with `replaceOnChanges`. Drift is seen. */
  version: string;
  /** The size. It can change in place to a plan with at least the storage. Not returned: its drift cannot be seen. */
  plan: DatabasePlanId | (string & {});
  /** Where it runs; the service knows its regions. Not returned: its drift cannot be seen. */
  region: string;
  /** Whether there is a pooled address as well, `poolUri`. Default: false. Drift is seen. */
  enableConnectionPool?: boolean | undefined;
  /** A private network to attach the cluster to. Not returned: its drift cannot be seen. */
  vpcId?: string | undefined;
}

export interface DatabaseOutputs {
  /** The service's word for the state of the cluster, `ready` when it is usable. */
  status: string;
  host: string;
  port: number;
  /** The name of the initial database. */
  database: string;
  username: string;
  /** The password in `connectionUri`. Secret. */
  password: string;
  /** The address of the database with user and password. Secret. */
  connectionUri: string;
  /** The pooled address with user and password, when `enableConnectionPool` is set. Secret. */
  poolUri: string | undefined;
  /** Whether clients must connect with TLS. */
  sslRequired: boolean;
  /** The dedicated virtual CPUs of the plan in the specification. */
  vcpus: number | undefined;
  /** The memory of the plan in the specification, in GB. */
  ramGb: number | undefined;
  /** The storage of the plan in the specification, in GB. */
  storageGb: number | undefined;
  /** The connections that the plan allows in the specification. */
  maxConnections: number | undefined;
  /** The days for which the plan keeps backups in the specification. */
  backupRetentionDays: number | undefined;
}

const planOf = (id: unknown) => databasePlans.find((plan) => typeof id === "string" && sameWord(plan.id, id));

/** A property of the plan in the catalogue, which the service does not return. */
const ofPlan = (member: Exclude<keyof DatabasePlan, "id">) => ({
  from: (_remote: RemoteDatabase, inputs: Readonly<Record<string, unknown>> = {}) =>
    inputs["plan"] === undefined ? undefined : (planOf(inputs["plan"])?.[member] ?? null),
  optional: true as const,
});

/** Specification: "Database". */
export const database = defineKind<DatabaseInputs, DatabaseOutputs, RemoteDatabase>({
  name: "Database",
  inputs: {
    name: { schema: text(), onChange: "update", optional: true, from: (remote) => remote.name },
    engine: { schema: text(), onChange: "replace", isEquivalent: sameWord, from: (remote) => remote.engine },
    version: { schema: text(), onChange: "update", isEquivalent: isWithin, from: (remote) => remote.version },
    plan: {
      schema: text(),
      onChange: "update",
      isEquivalent: sameWord,
      allowedValues: databasePlans.map(({ id }) => id),
    },
    region: { schema: text(), onChange: "replace", isEquivalent: sameWord },
    enableConnectionPool: {
      schema: flag(),
      onChange: "update",
      optional: true,
      default: false,
      // The pooled address shows it, once there are addresses.
      from: (remote) => (remote.connectionUri === undefined ? undefined : remote.poolUri !== undefined),
    },
    vpcId: { schema: text(), onChange: "replace", optional: true },
  },
  outputs: {
    status: { from: (remote) => remote.status },
    host: { from: (remote) => remote.host },
    port: { from: (remote) => remote.port },
    database: { from: (remote) => remote.database },
    username: { from: (remote) => remote.username },
    password: { from: (remote) => passwordIn(remote.connectionUri), secret: true },
    connectionUri: { from: (remote) => remote.connectionUri, secret: true },
    poolUri: {
      from: (remote) => remote.poolUri ?? (remote.connectionUri === undefined ? undefined : null),
      secret: true,
      optional: true,
    },
    sslRequired: { from: (remote) => remote.sslRequired },
    vcpus: ofPlan("vcpus"),
    ramGb: ofPlan("ramGb"),
    storageGb: ofPlan("storageGb"),
    maxConnections: ofPlan("maxConnections"),
    backupRetentionDays: ofPlan("backupRetentionDays"),
  },
  timeouts: { create: 30 * 60_000, update: 30 * 60_000, delete: 10 * 60_000 },
  naming: { field: "name", form: "readable" },
  identity: { by: ["name"], matches: (remote, inputs) => remote.name === inputs.name },
  readiness: {
    phase: (remote) =>
      remote.status === "failed"
        ? "failed"
        : remote.status === "ready" && remote.connectionUri
          ? "ready"
          : "pending",
    status: (remote) => remote.status ?? "unknown",
    reason: (remote) => remote.statusReason,
    wait: (api, id, options) => api.databases.waitUntilReady(id, options),
    waitUntilDeleted: (api, id, options) => api.databases.waitUntilDeleted(id, options),
  },

  id: (remote) => remote.id,
  create: (api, { name = "", ...inputs }) => api.databases.create({ name, ...inputs }),
  read: (api, id) => api.databases.get(id),
  list: (api, page) => api.databases.list(page),
  async update(api, id, { name, plan, version, enableConnectionPool }, { waitUntilReady: ready }) {
    const change = given({ name, plan, version, enableConnectionPool });
    try {
      return await api.databases.update(id, change);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // Another change may be in progress. A conflict proves that ours was not made.
      await ready();
      return await api.databases.update(id, change);
    }
  },
  delete: (api, id) => api.databases.delete(id),
  afterRemoval: "It costs money while it exists.",

  notes: versionNotes,
  validate: (planned) => [
    ...versionRules(planned),
    ...cannotShrink(planned, "plan", storageOf, { of: "storage", resource: "database" }),
  ],
});

/** In gigabytes. */
function storageOf(plan: unknown): number | undefined {
  return planOf(plan)?.storageGb;
}

function passwordIn(uri: string | undefined): string | undefined {
  if (uri === undefined || !URL.canParse(uri)) return undefined;
  const { password } = new URL(uri);
  return password === "" ? undefined : decodeURIComponent(password);
}

/** The versions of an engine as the specification lists them; the service judges other engines and versions. */
export type DatabaseEngine =
  | { engine: Input<"postgresql">; version: Input<PostgresqlVersion | (string & {})> }
  | { engine: Input<string & {}>; version: Input<string> };

export type DatabaseArgs = Omit<Args<DatabaseInputs>, "engine" | "version"> & DatabaseEngine & Adoptable;

/**
 * A managed database cluster. The creation waits until the cluster is ready, at most 30 minutes; `customTimeouts` sets
 * another limit.
 *
 * @example
 * ```ts
 * const orders = new Database("orders", {
 *   engine: "postgresql",
 *   version: "16",
 *   plan: "db-standard-2",
 *   region: "eu-central-1",
 * });
 * export const uri = orders.connectionUri; // a secret
 * ```
 */
export class Database extends resourceOf<DatabaseInputs, DatabaseOutputs, RemoteDatabase, DatabaseArgs>(
  database,
) {
  /**
   * Declares when this database is backed up, as `new BackupSchedule` with its id does. The preview reports a
   * retention above what the plan keeps.
   *
   * @example
   * ```ts
   * orders.backupSchedule("nightly", { frequency: "daily", hourUtc: 3, retentionDays: 14 });
   * ```
   */
  backupSchedule(
    name: string,
    args: Omit<BackupScheduleArgs, "databaseId">,
    opts?: ResourceOptions,
  ): BackupSchedule {
    const ofThis = { ...args, databaseId: this.id, [PLAN_KEY]: this.plan };
    return new BackupSchedule(name, ofThis, opts);
  }
}
