import { isKey } from "../../core/catalogue.js";

/** Specification: "Plan tiers". */
export const databasePlans = {
  "db-starter-1": { ramGb: 1, vcpus: 1, storageGb: 20, maxConnections: 100, retentionDays: 7 },
  "db-standard-2": { ramGb: 4, vcpus: 2, storageGb: 60, maxConnections: 500, retentionDays: 14 },
  "db-pro-4": { ramGb: 8, vcpus: 4, storageGb: 150, maxConnections: 1500, retentionDays: 30 },
  "db-scale-8": { ramGb: 16, vcpus: 8, storageGb: 300, maxConnections: 4000, retentionDays: 30 },
} as const;
export type DatabasePlan = keyof typeof databasePlans;

/** Specification: "Supported engines and versions"; every identifier but `postgresql` is assumed. */
export const engineVersions = {
  postgresql: ["15", "16"],
  mysql: ["8.0", "8.4"],
  redis: ["7.2"],
  valkey: ["7.2"],
  mongodb: ["7.0"],
} as const;

export function planOf(plan: string): (typeof databasePlans)[DatabasePlan] | undefined {
  return isKey(databasePlans, plan) ? databasePlans[plan] : undefined;
}

export function versionsOf(engine: string): readonly string[] {
  return isKey(engineVersions, engine) ? engineVersions[engine] : [];
}
