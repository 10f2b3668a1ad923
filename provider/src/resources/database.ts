import {
  ConflictError,
  type DatabasePlanId,
  databasePlans,
  type ListedDatabase as RemoteDatabase,
} from "cloudservices-sdk";
import type { Adoptable, Args } from "../args.js";
import { given } from "../kernel/definition/changes.js";
import { type InputsOf, kindOf, type OutputsOf } from "../kernel/definition/define-kind.js";
import { flag, openText, sameWord, text } from "../kernel/definition/fields.js";
import { ofPlan, storageRule } from "./database-plan.js";
import { databaseReadiness } from "./database-readiness.js";
import { type DatabaseEngine, isWithin, versionNotes, versionRules } from "./database-version.js";
import { passwordIn } from "./password-in.js";

const { defineKind, input, optionalInput, output, optionalOutput } = kindOf<RemoteDatabase>();

/** The inputs whose update may move the cluster to another address. Assumed: the specification does not say. */
const MOVES = ["plan", "version"];

/** Specification: "Database". */
export const database = defineKind({
  name: "Database",
  inputs: {
    /** The name of the cluster. Default: the resource's name with a short hash. Drift is detected. */
    name: optionalInput(text(), { onChange: "update", from: (remote) => remote.name }),
    /** The engine. The specification shows only `postgresql`; the service validates others. */
    engine: input(openText<"postgresql">(), {
      onChange: "replace",
      isEquivalent: sameWord,
      from: (remote) => remote.engine,
    }),
    /** The major version, such as `16`; the service chooses the minor. An upgrade happens in place; a downgrade needs a new database, through `replaceOnChanges`. Drift is detected. */
    version: input(text(), { onChange: "update", isEquivalent: isWithin, from: (remote) => remote.version }),
    /** The size. It can change in place to a plan with at least as much storage. Not returned, so its drift cannot be detected. */
    plan: input(openText<DatabasePlanId>(), {
      onChange: "update",
      isEquivalent: sameWord,
      allowedValues: databasePlans.map(({ id }) => id),
    }),
    /** The region; the service validates it. Not returned, so its drift cannot be detected. */
    region: input(text(), { onChange: "replace", isEquivalent: sameWord }),
    /** Whether the cluster also has a pooled address, `poolUri`. Default: false. Drift is detected. */
    enableConnectionPool: optionalInput(flag(), {
      onChange: "update",
      default: false,
      // Only the pooled address shows it, and only when the response contains addresses.
      from: (remote) => (remote.connectionUri === undefined ? undefined : remote.poolUri !== undefined),
    }),
    /** A private network to attach the cluster to. Not returned, so its drift cannot be detected. */
    vpcId: optionalInput(text(), { onChange: "replace" }),
  },
  outputs: {
    /** The state of the cluster in the service's words; `ready` when it is usable. */
    status: output((remote) => remote.status),
    /** The host name of the database. */
    host: output((remote) => remote.host, { changesWith: MOVES }),
    /** The TCP port of the database. */
    port: output((remote) => remote.port, { changesWith: MOVES }),
    /** The name of the initial database. */
    database: output((remote) => remote.database, { changesWith: [] }),
    /** The name of the user in `connectionUri`. */
    username: output((remote) => remote.username, { changesWith: [] }),
    /** The password in `connectionUri`. Secret. */
    password: output((remote) => passwordIn(remote.connectionUri), { secret: true, changesWith: [] }),
    /** The address of the database, with user and password. Secret. */
    connectionUri: output((remote) => remote.connectionUri, { secret: true, changesWith: MOVES }),
    /** The pooled address, with user and password, if `enableConnectionPool` is set. Secret. */
    poolUri: optionalOutput(
      (remote) => remote.poolUri ?? (remote.connectionUri === undefined ? undefined : null),
      { secret: true, changesWith: [...MOVES, "enableConnectionPool"] },
    ),
    /** Whether clients must connect with TLS. */
    sslRequired: output((remote) => remote.sslRequired, { changesWith: [] }),
    /** The dedicated virtual CPUs of the plan, from the specification. */
    vcpus: optionalOutput(ofPlan("vcpus"), { changesWith: ["plan"], integer: true }),
    /** The memory of the plan in GB, from the specification. */
    ramGb: optionalOutput(ofPlan("ramGb"), { changesWith: ["plan"] }),
    /** The storage of the plan in GB, from the specification. */
    storageGb: optionalOutput(ofPlan("storageGb"), { changesWith: ["plan"], integer: true }),
    /** The maximum number of connections of the plan, from the specification. */
    maxConnections: optionalOutput(ofPlan("maxConnections"), { changesWith: ["plan"], integer: true }),
    /** How many days the plan keeps backups, from the specification. */
    backupRetentionDays: optionalOutput(ofPlan("backupRetentionDays"), {
      changesWith: ["plan"],
      integer: true,
    }),
  },
  timeouts: { create: 30 * 60_000, update: 30 * 60_000, delete: 10 * 60_000 },
  naming: { field: "name", form: "readable" },
  identity: { by: ["name"], matches: (remote, inputs) => remote.name === inputs.name },
  readiness: databaseReadiness,

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
      // Another change may be in progress. A conflict proves that this one was not made.
      await ready();
      return await api.databases.update(id, change);
    }
  },
  delete: (api, id) => api.databases.delete(id),
  afterRemoval: "It costs money while it exists.",

  notes: versionNotes,
  validate: (planned) => [...versionRules(planned), ...storageRule(planned)],
});

export interface DatabaseInputs extends InputsOf<typeof database> {}
export interface DatabaseOutputs extends OutputsOf<typeof database> {}

export type DatabaseArgs = Omit<Args<DatabaseInputs>, "engine" | "version"> & DatabaseEngine & Adoptable;
