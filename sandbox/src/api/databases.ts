import { z } from "zod";
import { databasePlans, engineVersions, planOf, versionsOf } from "../databases/catalogue.js";
import { connectionUri, poolUri } from "../databases/uri.js";
import { makeId } from "../identity.js";
import { timestamp } from "../state/clock.js";
import type { Rows } from "../state/rows.js";
import type { World } from "../world.js";
import { invalid } from "./error.js";
import { empty, keysOf, name, noBody, nothing, region } from "./fields.js";
import { operation } from "./operation.js";
import { page, pageQuery } from "./paging.js";
import { counted, readDatabase, requireStatus } from "./reading.js";

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

/** Specification: the table of engines states connection pooling for PostgreSQL only. */
const noPool = z.literal(false, "connection pooling is offered for postgresql only").optional();

/** Specification: "Database", request fields. Which of them are required is assumed. */
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

/** Specification: "Database", response fields. The address is absent while there is none (assumed). */
const database = z.strictObject({
  id: z.string(),
  name: z.string(),
  engine: z.string(),
  version: z.string(),
  status: z.string(),
  status_reason: z.string().optional().meta({
    description: "Assumed: why the status is failed, or a change or a deletion has not succeeded yet.",
  }),
  host: z.string().optional(),
  port: z.int().optional(),
  database: z.string().optional(),
  username: z.string().optional(),
  connection_uri: z.string().optional(),
  pool_uri: z.string().optional(),
  ssl_required: z.boolean().optional(),
});

function show(world: World, row: Rows["databases"]): z.output<typeof database> {
  const { id, name, engine, version, status, status_reason, credentials } = row;
  const address = credentials && world.databases.address(row);
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
    throw invalid(`"enable_connection_pool" is offered for postgresql only.`, "enable_connection_pool");
  }
  if (wanted.version !== undefined) {
    const versions = versionsOf(row.engine);
    if (!versions.includes(wanted.version)) {
      throw invalid(`"version" is invalid: ${row.engine} is offered in ${versions.join(", ")}.`, "version");
    }
    if (versions.indexOf(wanted.version) < versions.indexOf(row.version)) {
      throw invalid(`"version" cannot go back from ${row.version} to ${wanted.version}.`, "version");
    }
  }
  if (wanted.plan !== undefined) {
    const [from, to] = [planOf(row.plan)?.storageGb ?? 0, planOf(wanted.plan)?.storageGb ?? 0];
    if (to < from) throw invalid(`"plan" cannot go from ${from} GB of storage down to ${to} GB.`, "plan");
  }
}

async function settled(world: World, id: string): Promise<void> {
  world.runDue();
  await world.works.of(id);
}

function reading(world: World, row: Rows["databases"]): z.output<typeof database> {
  const next = counted(row, world.clock.now());
  if (next) world.store.write(row.tenant, (transaction) => transaction.put("databases", next));
  return show(world, row);
}

export const databaseOperations = [
  operation({
    id: "createDatabase",
    summary: "Create a database",
    basis: "documented",
    method: "POST",
    path: "/databases",
    query: nothing,
    body: createBody,
    success: 201,
    answer: database,
    async handle(call) {
      const { tenant, body, world } = call;
      const now = world.clock.now();
      const seq = world.store.tables.databases.nextSeq(tenant);
      const course = world.progressions.course("database", tenant, "ready", now);
      // The specification shows `ready` in the answer to the creation.
      const atOnce =
        world.profile === "documented" && course.pending.reads === undefined && course.dueAt !== undefined;
      const row: Rows["databases"] = {
        id: makeId("db", seq, world.random),
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
        pending: course.pending,
        dueAt: atOnce ? now : course.dueAt,
        created_at: timestamp(now),
      };
      call.write((transaction) => transaction.put("databases", row));
      if (row.dueAt !== undefined && row.dueAt <= now) await settled(world, row.id);
      return { data: show(world, world.store.tables.databases.get(row.id) ?? row) };
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
    answer: z.array(database.partial({ engine: true, version: true })),
    handle: (call) =>
      page(call.tables.databases, call.tenant, call.query, (row) => {
        const shown = call.isStale ? show(call.world, row) : reading(call.world, row);
        return call.world.summaryLists ? { id: shown.id, name: shown.name, status: shown.status } : shown;
      }),
  }),
  operation({
    id: "getDatabase",
    summary: "Read a database",
    basis: "assumed",
    method: "GET",
    path: "/databases/:id",
    query: nothing,
    body: noBody,
    success: 200,
    answer: database,
    handle(call) {
      const row = readDatabase(call, call.params.id);
      return { data: call.isStale ? show(call.world, row) : reading(call.world, row) };
    },
  }),
  operation({
    id: "updateDatabase",
    summary: "Change a database",
    basis: "assumed",
    method: "PATCH",
    path: "/databases/:id",
    query: nothing,
    body: updateBody,
    success: 200,
    answer: database,
    async handle(call) {
      const { tenant, body, world } = call;
      const row = readDatabase(call, call.params.id);
      const plan = body.plan ?? row.plan;
      const version = body.version ?? row.version;
      const pool = body.enable_connection_pool ?? row.enable_connection_pool;
      const isWork = plan !== row.plan || version !== row.version || pool !== row.enable_connection_pool;
      checkUpgrade(row, body);
      if (isWork) requireStatus("database", row, ["ready"], "changing its plan, version or pool");
      else if (row.status === "deleting") requireStatus("database", row, ["ready"], "changing it");
      const now = world.clock.now();
      const renamed = { ...row, name: body.name ?? row.name };
      const course = isWork ? world.progressions.course("database", tenant, "ready", now) : undefined;
      call.write((transaction) =>
        transaction.put(
          "databases",
          course
            ? { ...renamed, plan, version, enable_connection_pool: pool, status: "updating", ...course }
            : renamed,
        ),
      );
      if (course?.dueAt !== undefined && course.dueAt <= now) await settled(world, row.id);
      return { data: show(world, world.store.tables.databases.get(row.id) ?? renamed) };
    },
  }),
  operation({
    id: "deleteDatabase",
    summary: "Delete a database with all its data",
    basis: "assumed",
    method: "DELETE",
    path: "/databases/:id",
    query: nothing,
    body: noBody,
    success: 200,
    answer: empty,
    async handle(call) {
      const { tenant, world } = call;
      const row = readDatabase(call, call.params.id);
      const now = world.clock.now();
      if (row.status !== "deleting") {
        const { pending, dueAt } = world.progressions.course("deletion", tenant, "deleted", now);
        call.write((transaction) =>
          transaction.put("databases", {
            ...{ ...row, status: "deleting", pending, dueAt },
            status_reason: undefined,
          }),
        );
      } else if (row.status_reason !== undefined) {
        // It was tried and failed, and need not wait for its next turn.
        call.write((transaction) => transaction.put("databases", { ...row, dueAt: now }));
      }
      await settled(world, row.id);
      return { data: {} };
    },
  }),
];
