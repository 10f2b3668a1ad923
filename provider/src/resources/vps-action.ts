import { type VpsAction as AnyVpsAction, type VpsActionResponse, vpsActions } from "cloudservices-sdk";
import { z } from "zod";
import { listOf, text } from "../kernel/definition/fields.js";
import { defineKind } from "../kernel/definition/kind.js";
import { type Args, resourceOf } from "../resource.js";

/** What can be done once to a server. Starting and stopping it is `powerState` of VpsInstance. */
export type VpsActionName = Exclude<AnyVpsAction, "start" | "stop">;

export interface VpsActionInputs {
  /** The server to which it is done. */
  instanceId: string;
  /** What is done: `reboot`, `rebuild` (sets the server up anew: what is on its disk is lost) or `create_snapshot`. */
  action: VpsActionName;
  /** Any values but NaN and Infinity; when one of them changes, the action is done again. */
  triggers?: unknown[] | undefined;
}

export type VpsActionOutputs = Record<never, never>;

/** The state that a server is in while an action is being done. Assumed: the specification shows no transitions. */
const DURING: Readonly<Record<VpsActionName, string>> = {
  reboot: "rebooting",
  rebuild: "rebuilding",
  create_snapshot: "snapshotting",
};

const names = vpsActions.filter((name): name is VpsActionName => name in DURING);

/** NaN is unequal to itself, and JSON, which the state is written in, has neither it nor Infinity. */
function isComparable(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isComparable);
}

const trigger = z.unknown().refine(isComparable, {
  error:
    "must hold neither NaN nor Infinity, which cannot be compared: the action would be done at every run",
});

/** Specification: "VPS instance", actions. What the service answers is assumed to be the server. */
export const vpsAction = defineKind<VpsActionInputs, VpsActionOutputs, VpsActionResponse>({
  name: "VpsAction",
  inputs: {
    instanceId: { schema: text(), onChange: "replace" },
    action: {
      schema: z.enum(names, {
        error: `must be one of ${names.join(", ")}; to start or stop a server, set powerState on its VpsInstance`,
      }),
      onChange: "replace",
    },
    triggers: { schema: listOf(trigger, "values"), onChange: "replace", optional: true },
  },
  outputs: {},
  timeouts: { create: 20 * 60_000, update: 20 * 60_000, delete: 60_000 },
  action: {
    target: ({ instanceId }) => instanceId,
    isRunning: ({ status }, { action }) => status === DURING[action],
  },
  readiness: {
    phase: ({ status }) =>
      status === "failed" ? "failed" : status === "running" || status === "stopped" ? "ready" : "pending",
    status: ({ status }) => status ?? "unknown",
    reason: ({ statusReason }) => statusReason,
    wait: (api, id, options) => api.vps.waitUntilReady(id, options),
  },

  owner: "VpsInstance",
  id: ({ id }) => id,
  create: async (api, { instanceId, action }) => ({
    ...(await api.vps.act(instanceId, action)),
    id: instanceId,
  }),
  read: (api, id) => api.vps.get(id),
});

export type VpsActionArgs = Args<VpsActionInputs>;

/**
 * An action that is done to a server once, when the resource is created, and again when one of its inputs changes.
 * Its creation waits until the server runs or is stopped again, 20 minutes at most; with
 * `cloudservices:api: documented` it ends with the service's answer.
 *
 * Actions on one server are done one after the other; `dependsOn` says which comes first. Where the server is busy, an
 * action waits until it is ready, within the time limit of its creation; with `cloudservices:api: documented`, which
 * shows no way to know, it fails.
 *
 * What may have been done is never sent a second time by itself in the same run, nor by a later one that knows of it.
 * Where its answer is lost and the server does not show it, the run fails, the action counts as done, and only changed
 * `triggers` do it again. An engine that is killed at that moment leaves no record, so the next `pulumi up` does the
 * action again: take an interrupted `rebuild` out of the program first.
 *
 * The service keeps no record of actions: their id is the server's, there is nothing to refresh, and deleting one asks
 * nothing of the service.
 *
 * @example
 * ```ts
 * new VpsAction("before-release", { instanceId: web.id, action: "create_snapshot", triggers: [release] });
 * ```
 */
export class VpsAction extends resourceOf<
  VpsActionInputs,
  VpsActionOutputs,
  VpsActionResponse,
  VpsActionArgs
>(vpsAction) {}
