import type { VpsInstance } from "cloudservices-sdk";
import type { Readiness } from "../kernel/definition/kind.js";
import { powerState } from "./vps-power.js";

/** A server is ready when it is running or stopped and has an address. */
export const vpsReadiness: Readiness<VpsInstance> = {
  phase(server) {
    if (server.status === "failed") return "failed";
    return powerState(server) !== undefined && server.ipv4 ? "ready" : "pending";
  },
  status: ({ status }) => status ?? "unknown",
  reason: ({ statusReason }) => statusReason,
  wait: (api, id, options, wanted) =>
    wanted === undefined ? api.vps.waitUntilReady(id, options) : api.vps.waitForStatus(id, wanted, options),
  waitUntilDeleted: (api, id, options) => api.vps.waitUntilDeleted(id, options),
};
