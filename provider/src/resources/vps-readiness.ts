import type { ListedVpsInstance } from "cloudservices-sdk";
import type { Readiness } from "../kernel/definition/kind.js";
import { powerState } from "./vps-power.js";

/** A server is ready when it is running or stopped and has an address. */
export const vpsReadiness: Readiness<ListedVpsInstance> = {
  phase(server) {
    if (server.status === "failed") return "failed";
    return powerState(server) !== undefined && server.ipv4 ? "ready" : "pending";
  },
  status: ({ status }) => status ?? "unknown",
  reason: ({ statusReason }) => statusReason,
  wait: (api, id, options, wanted) => api.vps.waitForStatus(id, wanted ?? ["running", "stopped"], options),
  waitUntilDeleted: (api, id, options) => api.vps.waitUntilDeleted(id, options),
};
