import { z } from "zod";
import { emptyResponse, noBody, noParameters } from "../../core/fields.js";
import { findRow } from "../../core/find-row.js";
import { makeId } from "../../core/ids.js";
import { type Call, operationsWith } from "../../core/operation.js";
import { page, pageQuery } from "../../core/paging.js";
import { countRead, requireStatus } from "../../core/transitions.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import { connectionUri, poolUri } from "./connection-uri.js";
import type { DatabasesContext } from "./context.js";
import { createBody, database, updateBody } from "./schemas.js";
import { checkUpgrade } from "./upgrade.js";

type DatabaseCall = Call<string, unknown, unknown, DatabasesContext>;

const operation = operationsWith<DatabasesContext>();

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

async function waitForTransition(context: DatabasesContext, id: string): Promise<void> {
  context.runDue();
  await context.background.waitFor(id);
}

/** Shows a row as it was before this read counted. */
function read(call: DatabaseCall, row: Rows["databases"]): z.output<typeof database> {
  countRead(call, "databases", row);
  return show(call.context, row);
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
      page(
        call,
        call.tables.databases,
        (row) => read(call, row),
        ({ id, name, status }) => ({ id, name, status }),
      ),
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
    handle: (call) => ({ data: read(call, findRow(call, "databases", call.params.id)) }),
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
      const row = findRow(call, "databases", call.params.id);
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
      const row = findRow(call, "databases", call.params.id);
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
