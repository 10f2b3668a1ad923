import { z } from "zod";
import { isKey, keysOf } from "../../core/catalogue.js";
import type { Context } from "../../core/context.js";
import { invalid } from "../../core/errors.js";
import { emptyResponse, isoTimestamp, name, noBody, noParameters, region } from "../../core/fields.js";
import { findRow } from "../../core/find-row.js";
import { makeId } from "../../core/ids.js";
import { type Call, operationsWith } from "../../core/operation.js";
import { page, pageQuery } from "../../core/paging.js";
import { countRead, requireStatus } from "../../core/transitions.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import { transitions } from "./actions.js";
import { documentationAddresses } from "./addresses.js";
import { vpsActions, vpsImages, vpsPlans } from "./catalogue.js";
import { newSnapshotId, scheduleSnapshots } from "./snapshots.js";

const operation = operationsWith<Context>();

const plan = z.enum(keysOf(vpsPlans)).meta({ example: "vps-micro-1" });
const userData = z.string().max(65_536);

/** Specification: "VPS instance", request fields. Which ones are required is assumed. */
const createBody = z.strictObject({
  name,
  plan,
  region,
  image: z.enum(vpsImages).meta({ example: "debian-12" }),
  ssh_keys: z
    .array(z.string().regex(/^ssh_key_[A-Za-z0-9_-]{1,64}$/, "expected the identifier of a stored SSH key"))
    .max(50)
    .optional()
    .meta({ example: ["ssh_key_1"] }),
  backups_enabled: z.boolean().optional(),
  user_data: userData.optional(),
});

const updateBody = z.strictObject({
  name: name.exactOptional(),
  plan: plan.exactOptional(),
  backups_enabled: z.boolean().exactOptional(),
  user_data: userData.exactOptional(),
});

const actionBody = z.strictObject({ action: z.enum(vpsActions).meta({ example: "reboot" }) });

/** Specification: "VPS instance", response fields. */
const vps = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  status_reason: z.string().optional().meta({ description: "Assumed: why the status is failed." }),
  ipv4: z.string().optional(),
  ipv6: z.string().optional(),
  region: z.string(),
  plan: z.string(),
  specs: z.strictObject({ vcpus: z.int(), ram_mb: z.int(), disk_gb: z.int() }),
  created_at: isoTimestamp,
});
const vpsSummary = vps.pick({ id: true, name: true, status: true });

function specsOf(planId: string): { vcpus: number; ram_mb: number; disk_gb: number } {
  return isKey(vpsPlans, planId) ? vpsPlans[planId] : { vcpus: 0, ram_mb: 0, disk_gb: 0 };
}

function show(context: Context, row: Rows["vps"]): z.output<typeof vps> {
  const { id, name, status, status_reason, ipv4, ipv6, region, plan, created_at } = row;
  // In the documented profile, only the response to a creation shows the addresses.
  const hasAddress = context.profile === "documented" || (status !== "provisioning" && !row.neverRan);
  return {
    id,
    name,
    status,
    ...(status_reason !== undefined && { status_reason }),
    ...(hasAddress && { ipv4, ipv6 }),
    region,
    plan,
    specs: specsOf(plan),
    created_at,
  };
}

/** Shows a row as it was before this read counted. */
function read(call: Call<string, unknown, unknown>, row: Rows["vps"]): z.output<typeof vps> {
  countRead(call, "vps", row);
  return show(call.context, row);
}

export const vpsOperations = [
  operation({
    id: "createVps",
    summary: "Create a virtual server",
    basis: "documented",
    method: "POST",
    path: "/vps/instances",
    query: noParameters,
    body: createBody,
    success: 201,
    response: vps,
    handle(call) {
      const { tenant, body, context } = call;
      const now = context.clock.now();
      const seq = context.store.tables.vps.nextSeq(tenant);
      const row: Rows["vps"] = {
        id: makeId("vps", seq, context.random),
        tenant,
        seq,
        name: body.name,
        plan: body.plan,
        region: body.region,
        image: body.image,
        ssh_keys: body.ssh_keys ?? [],
        backups_enabled: body.backups_enabled ?? false,
        user_data: body.user_data,
        ...documentationAddresses(seq),
        neverRan: true,
        status: "provisioning",
        ...context.progressions.begin("vps", tenant, "running", now),
        created_at: timestamp(now),
      };
      call.write((transaction) => transaction.put("vps", row));
      return { data: show(context, row) };
    },
  }),
  operation({
    id: "listVps",
    summary: "List virtual servers, oldest first",
    basis: "assumed",
    method: "GET",
    path: "/vps/instances",
    query: pageQuery("vps"),
    body: noBody,
    success: 200,
    response: z.array(z.union([vps, vpsSummary])),
    handle: (call) =>
      page(
        call,
        call.tables.vps,
        (row) => read(call, row),
        ({ id, name, status }) => ({ id, name, status }),
      ),
  }),
  operation({
    id: "getVps",
    summary: "Read a virtual server",
    basis: "assumed",
    method: "GET",
    path: "/vps/instances/:id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: vps,
    handle: (call) => ({ data: read(call, findRow(call, "vps", call.params.id)) }),
  }),
  operation({
    id: "updateVps",
    summary: "Change a virtual server; its plan only while it is stopped",
    basis: "assumed",
    method: "PATCH",
    path: "/vps/instances/:id",
    query: noParameters,
    body: updateBody,
    success: 200,
    response: vps,
    handle(call) {
      const { tenant, body, context } = call;
      const row = findRow(call, "vps", call.params.id);
      if (row.status === "deleting")
        requireStatus("VPS instance", row, ["running", "stopped"], "changing it");
      const isResize = body.plan !== undefined && body.plan !== row.plan;
      if (body.plan !== undefined && specsOf(body.plan).disk_gb < specsOf(row.plan).disk_gb) {
        throw invalid(
          `"plan" cannot reduce the disk from ${specsOf(row.plan).disk_gb} GB to ${specsOf(body.plan).disk_gb} GB.`,
          "plan",
        );
      }
      if (isResize) requireStatus("VPS instance", row, ["stopped"], "changing its plan");
      const changed: Rows["vps"] = {
        ...row,
        ...body,
        ...(isResize && {
          status: "resizing",
          ...context.progressions.begin("vpsAction", tenant, "stopped", context.clock.now()),
        }),
      };
      call.write((transaction) => transaction.put("vps", scheduleSnapshots(changed, context.clock.now())));
      return { data: show(context, changed) };
    },
  }),
  operation({
    id: "deleteVps",
    summary: "Delete a virtual server",
    basis: "assumed",
    method: "DELETE",
    path: "/vps/instances/:id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: emptyResponse,
    handle(call) {
      const { tenant, context } = call;
      const row = findRow(call, "vps", call.params.id);
      if (row.status !== "deleting") {
        const transition = context.progressions.begin("deletion", tenant, "deleted", context.clock.now());
        call.write((transaction) => transaction.put("vps", { ...row, status: "deleting", ...transition }));
      }
      context.runDue();
      return { data: {} };
    },
  }),
  operation({
    id: "actOnVps",
    summary: "Start, stop, reboot, rebuild or snapshot a virtual server",
    basis: "documented",
    method: "POST",
    path: "/vps/instances/:id/actions",
    query: noParameters,
    body: actionBody,
    success: 200,
    response: vps,
    handle(call) {
      const { tenant, body, context } = call;
      const row = findRow(call, "vps", call.params.id);
      const transition = transitions[body.action];
      requireStatus("VPS instance", row, transition.from, `the action ${body.action}`);
      const changed: Rows["vps"] = {
        ...row,
        status: transition.through,
        ...(body.action === "create_snapshot" && { snapshot: newSnapshotId(context) }),
        ...context.progressions.begin("vpsAction", tenant, transition.to(row.status), context.clock.now()),
      };
      call.write((transaction) => transaction.put("vps", changed));
      return { data: show(context, changed) };
    },
  }),
];
