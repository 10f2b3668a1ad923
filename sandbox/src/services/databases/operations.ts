import { z } from "zod";
import { keysOf } from "../../core/catalogue.js";
import { invalid } from "../../core/errors.js";
import { emptyResponse, name, noBody, noParameters, region } from "../../core/fields.js";
import { makeId } from "../../core/ids.js";
import { operationsWith } from "../../core/operation.js";
import { page, pageQuery } from "../../core/paging.js";
import { countRead, requireStatus } from "../../core/transitions.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import { databasePlans, engineVersions, planOf, versionsOf } from "./catalogue.js";
import { connectionUri, poolUri } from "./connection-uri.js";
import type { DatabasesContext } from "./context.js";
import { findDatabase } from "./find.js";

const operation = operationsWith<DatabasesContext>();

const plan = z.enum(keysOf(databasePlans)).meta({ example: "db-starter-1" });
const assumed = { description: "Assumed: the specification shows `postgresql` only." };
const common = {
  name,
  plan,
  region,
  vpc_id: z
    .string()
    .regex(/^vpc_[A-Za-z0-9]{1,64}$/, "expected the identifier of a private network")
    .optional()
    .meta({ example: "vpc_1" }),
};

/** Specification: the table of engines shows connection pooling for PostgreSQL only. */
const noPool = z.literal(false, "connection pooling is available for postgresql only").optional();

/** Specification: "Database", request fields. Which ones are required is assumed. */
const createBody = z.discriminatedUnion("engine", [
  z.strictObject({
    ...common,
    engine: z.literal("postgresql"),
    version: z.enum(engineVersions.postgresql).meta({ example: "16" }),
    enable_connection_pool: z.boolean().optional(),
  }),
  z.strictObject({
    ...common,
    engine: z.literal("mysql").meta(assumed),
    version: z.enum(engineVersions.mysql),
    enable_connection_pool: noPool,
  }),
  z.strictObject({
    ...common,
    engine: z.literal("redis").meta(assumed),
    version: z.enum(engineVersions.redis),
    enable_connection_pool: noPool,
  }),
  z.strictObject({
    ...common,
    engine: z.literal("valkey").meta(assumed),
    version: z.enum(engineVersions.valkey),
    enable_connection_pool: noPool,
  }),
  z.strictObject({
    ...common,
    engine: z.literal("mongodb").meta(assumed),
    version: z.enum(engineVersions.mongodb),
    enable_connection_pool: noPool,
  }),
]);

const updateBody = z.strictObject({
  name: name.optional(),
  plan: plan.optional(),
  version: z.enum(Object.values(engineVersions).flat()).optional(),
  enable_connection_pool: z.boolean().optional(),
});

/** Specification: "Database", response fields. Without an address its fields are absent (assumed). */
const database = z.strictObject({
  id: z.string(),
  name: z.string(),
  engine: z.string(),
  version: z.string(),
  status: z.string(),
  status_reason: z.string().optional().meta({
    description: "Assumed: why the status is failed, or why a change or a deletion is being retried.",
  }),
  host: z.string().optional(),
  port: z.int().optional(),
  database: z.string().optional(),
  username: z.string().optional(),
  connection_uri: z.string().optional(),
  pool_uri: z.string().optional(),
  ssl_required: z.boolean().optional(),
});

function show(context: DatabasesContext, row: Rows["databases"]): z.output<typeof database> {
  const { id, name, engine, version, status, status_reason, credentials } = row;
  const address = credentials && context.databaseEngine.address(row);
  return {
    id,
    name,
    engine,
    version,
    status,
    ...(status_reason !== undefined && { status_reason }),
    ...(address && {
      host: address.host,
      port: address.port,
      database: credentials.database,
      username: credentials.username,
      connection_uri: connectionUri(engine, credentials, address),
      ...(row.enable_connection_pool && { pool_uri: poolUri(engine, credentials, address) }),
    }),
    ssl_required: true,
  };
}

/** Assumed: storage cannot shrink and versions cannot go back. */
function checkUpgrade(row: Rows["databases"], wanted: z.output<typeof updateBody>): void {
  if (wanted.enable_connection_pool && row.engine !== "postgresql") {
    throw invalid(`"enable_connection_pool" is available for postgresql only.`, "enable_connection_pool");
  }
  if (wanted.version !== undefined) {
    const versions = versionsOf(row.engine);
    if (!versions.includes(wanted.version)) {
      throw invalid(`"version" is invalid: ${row.engine} is available in ${versions.join(", ")}.`, "version");
    }
    if (versions.indexOf(wanted.version) < versions.indexOf(row.version)) {
      throw invalid(`"version" cannot be downgraded from ${row.version} to ${wanted.version}.`, "version");
    }
  }
  if (wanted.plan !== undefined) {
    const [from, to] = [planOf(row.plan)?.storageGb ?? 0, planOf(wanted.plan)?.storageGb ?? 0];
    if (to < from) throw invalid(`"plan" cannot reduce storage from ${from} GB to ${to} GB.`, "plan");
  }
}

async function waitForTransition(context: DatabasesContext, id: string): Promise<void> {
  context.runDue();
  await context.background.waitFor(id);
}

function showAndCountRead(context: DatabasesContext, row: Rows["databases"]): z.output<typeof database> {
  const next = countRead(row, context.clock.now());
  if (next) context.store.write(row.tenant, (transaction) => transaction.put("databases", next));
  return show(context, row);
}

export const databaseOperations = [
  operation({
    id: "createDatabase",
    summary: "Create a database",
    basis: "documented",
    method: "POST",
    path: "/databases",
    query: noParameters,
    body: createBody,
    success: 201,
    response: database,
    async handle(call) {
      const { tenant, body, context } = call;
      const now = context.clock.now();
      const seq = context.store.tables.databases.nextSeq(tenant);
      const transition = context.progressions.begin("database", tenant, "ready", now);
      // The specification shows `ready` in the response to a creation.
      const atOnce =
        context.profile === "documented" &&
        transition.pending.reads === undefined &&
        transition.dueAt !== undefined;
      const row: Rows["databases"] = {
        id: makeId("db", seq, context.random),
        tenant,
        seq,
        name: body.name,
        engine: body.engine,
        version: body.version,
        plan: body.plan,
        region: body.region,
        enable_connection_pool: body.enable_connection_pool ?? false,
        vpc_id: body.vpc_id,
        status: "provisioning",
        pending: transition.pending,
        dueAt: atOnce ? now : transition.dueAt,
        created_at: timestamp(now),
      };
      call.write((transaction) => transaction.put("databases", row));
      if (row.dueAt !== undefined && row.dueAt <= now) await waitForTransition(context, row.id);
      return { data: show(context, context.store.tables.databases.get(row.id) ?? row) };
    },
  }),
  operation({
    id: "listDatabases",
    summary: "List databases, oldest first",
    basis: "assumed",
    method: "GET",
    path: "/databases",
    query: pageQuery("db"),
    body: noBody,
    success: 200,
    response: z.array(database.partial({ engine: true, version: true })),
    handle: (call) =>
      page(call.tables.databases, call.tenant, call.query, (row) => {
        const shown = call.isStale ? show(call.context, row) : showAndCountRead(call.context, row);
        return call.context.summaryLists ? { id: shown.id, name: shown.name, status: shown.status } : shown;
      }),
  }),
  operation({
    id: "getDatabase",
    summary: "Read a database",
    basis: "assumed",
    method: "GET",
    path: "/databases/:id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: database,
    handle(call) {
      const row = findDatabase(call, call.params.id);
      return { data: call.isStale ? show(call.context, row) : showAndCountRead(call.context, row) };
    },
  }),
  operation({
    id: "updateDatabase",
    summary: "Change a database",
    basis: "assumed",
    method: "PATCH",
    path: "/databases/:id",
    query: noParameters,
    body: updateBody,
    success: 200,
    response: database,
    async handle(call) {
      const { tenant, body, context } = call;
      const row = findDatabase(call, call.params.id);
      const plan = body.plan ?? row.plan;
      const version = body.version ?? row.version;
      const pool = body.enable_connection_pool ?? row.enable_connection_pool;
      const isWork = plan !== row.plan || version !== row.version || pool !== row.enable_connection_pool;
      checkUpgrade(row, body);
      if (isWork) requireStatus("database", row, ["ready"], "changing its plan, version or pool");
      else if (row.status === "deleting") requireStatus("database", row, ["ready"], "changing it");
      const now = context.clock.now();
      const renamed = { ...row, name: body.name ?? row.name };
      const transition = isWork ? context.progressions.begin("database", tenant, "ready", now) : undefined;
      call.write((transaction) =>
        transaction.put(
          "databases",
          transition
            ? { ...renamed, plan, version, enable_connection_pool: pool, status: "updating", ...transition }
            : renamed,
        ),
      );
      if (transition?.dueAt !== undefined && transition.dueAt <= now)
        await waitForTransition(context, row.id);
      return { data: show(context, context.store.tables.databases.get(row.id) ?? renamed) };
    },
  }),
  operation({
    id: "deleteDatabase",
    summary: "Delete a database with all its data",
    basis: "assumed",
    method: "DELETE",
    path: "/databases/:id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: emptyResponse,
    async handle(call) {
      const { tenant, context } = call;
      const row = findDatabase(call, call.params.id);
      const now = context.clock.now();
      if (row.status !== "deleting") {
        const { pending, dueAt } = context.progressions.begin("deletion", tenant, "deleted", now);
        call.write((transaction) =>
          transaction.put("databases", {
            ...{ ...row, status: "deleting", pending, dueAt },
            status_reason: undefined,
          }),
        );
      } else if (row.status_reason !== undefined) {
        // A failed deletion is retried at once.
        call.write((transaction) => transaction.put("databases", { ...row, dueAt: now }));
      }
      await waitForTransition(context, row.id);
      return { data: {} };
    },
  }),
];
