import { type VpsAction as AnyVpsAction, type VpsActionResponse, vpsActions } from "cloudservices-sdk";
import { z } from "zod";
import { type InputsOf, kindOf, type OutputsOf } from "../kernel/definition/define-kind.js";
import { listOf, text } from "../kernel/definition/fields.js";
import { type Args, resourceOf } from "../resource.js";

/** An action that can run once on a server. To start or stop it, use `powerState` of VpsInstance. */
export type VpsActionName = Exclude<AnyVpsAction, "start" | "stop">;

/** The state of a server while an action runs. Assumed: the specification documents no transitions. */
const DURING: Readonly<Record<VpsActionName, string>> = {
  reboot: "rebooting",
  rebuild: "rebuilding",
  create_snapshot: "snapshotting",
};

const names = vpsActions.filter((name): name is VpsActionName => name in DURING);

const NOT_AN_ACTION = `must be one of ${names.join(", ")}; to start or stop a server, set powerState on its VpsInstance`;

/** Returns whether a value can be compared in later runs: NaN differs from itself, and JSON lacks NaN and Infinity. */
function isComparable(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isComparable);
}

const trigger = z.unknown().refine(isComparable, {
  error: "must not contain NaN or Infinity, which cannot be compared: the action would run every time",
});

const { defineKind, input, optionalInput } = kindOf<VpsActionResponse>();

/** Specification: "VPS instance", actions. The response is assumed to be the server. */
export const vpsAction = defineKind({
  name: "VpsAction",
  inputs: {
    /** The server. */
    instanceId: input(text(), { onChange: "replace" }),
    /** The action: `reboot`, `rebuild` (reinstalls the server and erases its disk) or `create_snapshot`. */
    action: input(z.enum(names, { error: NOT_AN_ACTION }), { onChange: "replace" }),
    /** Any values except NaN and Infinity. When one changes, the action runs again. */
    triggers: optionalInput(listOf(trigger, "values"), { onChange: "replace" }),
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

export interface VpsActionInputs extends InputsOf<typeof vpsAction> {}
export interface VpsActionOutputs extends OutputsOf<typeof vpsAction> {}

export type VpsActionArgs = Args<VpsActionInputs>;

/**
 * An action that runs on a server once, when the resource is created, and again when one of its inputs changes.
 * The creation waits until the server is running or stopped again, for 20 minutes at most; with
 * `cloudservices:api: documented` it ends with the response.
 *
 * Actions on one server run one after the other; use `dependsOn` to order them. If the server is busy, an action waits
 * until it is ready, within the timeout of its creation; with `cloudservices:api: documented`, which has no request for
 * the server's state, it fails.
 *
 * An action that may have run is not retried. If its response is lost and the server does not show it, the run fails
 * and the action counts as done; change `triggers` to run it again. If the engine is killed at that moment, no record
 * remains and the next `pulumi up` runs the action again: first remove an interrupted `rebuild` from the program.
 *
 * The service keeps no record of actions: their id is the server's, a refresh changes nothing, and deleting one sends
 * no request.
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
