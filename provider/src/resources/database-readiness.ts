import type { ListedDatabase } from "cloudservices-sdk";
import type { Readiness } from "../kernel/definition/kind.js";

/** A database is ready when a program can connect to it: the status alone may precede the address. */
export const databaseReadiness: Readiness<ListedDatabase> = {
  phase({ status, connectionUri }) {
    if (status === "failed") return "failed";
    return status === "ready" && connectionUri ? "ready" : "pending";
  },
  status: ({ status }) => status ?? "unknown",
  reason: ({ statusReason }) => statusReason,
  wait: (api, id, options) => api.databases.waitForStatus(id, "ready", options),
  waitUntilDeleted: (api, id, options) => api.databases.waitUntilDeleted(id, options),
};
