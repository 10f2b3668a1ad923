import { type VpsAction as AnyVpsAction, type VpsActionResponse, vpsActions } from "cloudservices-sdk";
import { z } from "zod";
import type { Args } from "../args.js";
import { type InputsOf, kindOf, type OutputsOf } from "../kernel/definition/define-kind.js";
import { listOf, text } from "../kernel/definition/fields.js";

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
