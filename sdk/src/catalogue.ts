/**
 * What the specification lists: plans, prices, images, engines, actions and events, each with its section. The
 * specification lists no regions, no database prices, and only the engine identifier `postgresql`; these are open
 * strings in this package.
 */

/** A database plan tier. Specification: "Database", Plan tiers. */
export interface DatabasePlan {
  /** The value of `plan` in requests. */
  readonly id: string;
  /** Gigabytes. */
  readonly ramGb: number;
  /** Dedicated virtual CPUs. */
  readonly vcpus: number;
  /** Gigabytes. */
  readonly storageGb: number;
  /** The most connections at one time. */
  readonly maxConnections: number;
  /** How many days a backup is kept at most. */
  readonly backupRetentionDays: number;
}

/** Specification: "Database", Plan tiers. */
export const databasePlans = [
  { id: "db-starter-1", ramGb: 1, vcpus: 1, storageGb: 20, maxConnections: 100, backupRetentionDays: 7 },
  { id: "db-standard-2", ramGb: 4, vcpus: 2, storageGb: 60, maxConnections: 500, backupRetentionDays: 14 },
  { id: "db-pro-4", ramGb: 8, vcpus: 4, storageGb: 150, maxConnections: 1_500, backupRetentionDays: 30 },
  { id: "db-scale-8", ramGb: 16, vcpus: 8, storageGb: 300, maxConnections: 4_000, backupRetentionDays: 30 },
] as const satisfies readonly DatabasePlan[];

/** The plan tiers that the specification lists. */
export type DatabasePlanId = (typeof databasePlans)[number]["id"];

/** A database engine. */
export interface DatabaseEngine {
  /** The display name. */
  readonly name: string;
  /** The identifier in requests, where the specification shows it. */
  readonly id?: string;
  /** Oldest first. */
  readonly versions: readonly string[];
  /** What the specification states about it. */
  readonly features: readonly string[];
}

/** Specification: "Database", Supported engines and versions. */
export const databaseEngines = [
  {
    name: "PostgreSQL",
    id: "postgresql",
    versions: ["15", "16"],
    features: ["PostGIS", "pgvector", "full-text search", "connection pooling"],
  },
  { name: "MySQL", versions: ["8.0", "8.4"], features: ["InnoDB", "GTID replication", "binlog replication"] },
  { name: "Redis / Valkey", versions: ["7.2"], features: ["Pub/Sub", "streams", "cluster sharding"] },
  { name: "MongoDB", versions: ["7.0"], features: ["Replica sets", "automatic indexing"] },
] as const satisfies readonly DatabaseEngine[];

/** A server plan. Specification: "VPS instance", Plans. */
export interface VpsPlan {
  /** The value of `plan` in requests. */
  readonly id: string;
  /** Virtual CPUs. */
  readonly vcpus: number;
  /** Gigabytes. */
  readonly ramGb: number;
  /** Gigabytes of NVMe. */
  readonly diskGb: number;
  /** Terabytes a month. */
  readonly bandwidthTb: number;
  /** USD for a month. */
  readonly monthlyPriceUsd: number;
  /** USD for an hour. */
  readonly hourlyPriceUsd: number;
}

/** Specification: "VPS instance", Plans. */
export const vpsPlans = [
  {
    id: "vps-micro-1",
    vcpus: 1,
    ramGb: 1,
    diskGb: 25,
    bandwidthTb: 1,
    monthlyPriceUsd: 4,
    hourlyPriceUsd: 0.0055,
  },
  {
    id: "vps-standard-2",
    vcpus: 2,
    ramGb: 4,
    diskGb: 80,
    bandwidthTb: 4,
    monthlyPriceUsd: 15,
    hourlyPriceUsd: 0.0208,
  },
  {
    id: "vps-standard-4",
    vcpus: 4,
    ramGb: 8,
    diskGb: 160,
    bandwidthTb: 8,
    monthlyPriceUsd: 30,
    hourlyPriceUsd: 0.0416,
  },
  {
    id: "vps-memory-8",
    vcpus: 4,
    ramGb: 16,
    diskGb: 240,
    bandwidthTb: 10,
    monthlyPriceUsd: 55,
    hourlyPriceUsd: 0.0763,
  },
  {
    id: "vps-compute-8",
    vcpus: 8,
    ramGb: 16,
    diskGb: 320,
    bandwidthTb: 12,
    monthlyPriceUsd: 80,
    hourlyPriceUsd: 0.1111,
  },
  {
    id: "vps-enterprise-16",
    vcpus: 16,
    ramGb: 32,
    diskGb: 640,
    bandwidthTb: 20,
    monthlyPriceUsd: 150,
    hourlyPriceUsd: 0.2083,
  },
] as const satisfies readonly VpsPlan[];

/** The server plans that the specification lists. */
export type VpsPlanId = (typeof vpsPlans)[number]["id"];

/** Specification: "VPS instance", Images. */
export const vpsImages = [
  "ubuntu-24.04-lts",
  "ubuntu-22.04-lts",
  "debian-12",
  "debian-11",
  "almalinux-9",
  "rocky-9",
  "alpine-3.20",
  "windows-server-2022",
  "windows-server-2025",
] as const;

/** The images that the specification lists. */
export type VpsImageId = (typeof vpsImages)[number];

/** Specification: "VPS instance", Actions. */
export const vpsActions = ["start", "stop", "reboot", "rebuild", "create_snapshot"] as const;

/** Specification: "Events". */
export const eventNames = [
  "database.backup.completed",
  "database.backup.failed",
  "vps.snapshot.completed",
] as const;

/** The events that the specification lists. */
export type EventName = (typeof eventNames)[number];

/** The plans to add up, each with a count. Default 1. */
export interface CostInput {
  /** Servers by plan. */
  readonly vps?: readonly { readonly plan: string; readonly count?: number }[];
  /** Databases by plan. The specification has no prices for them. */
  readonly databases?: readonly { readonly plan: string; readonly count?: number }[];
}

/** The cost of plans by the price table of the specification. */
export interface CostEstimate {
  /** The sum for a month, in USD. */
  readonly monthlyUsd: number;
  /** The sum for an hour, in USD. */
  readonly hourlyUsd: number;
  /** Plans without a price in the specification: all databases, and unlisted plans. The sums leave them out. */
  readonly unpriced: readonly string[];
}

/**
 * Adds up prices. Only servers have prices in the specification; `unpriced` names all other plans.
 *
 * @throws RangeError when a count is no whole number, or below 0.
 *
 * @example
 * ```ts
 * estimateCost({ vps: [{ plan: "vps-micro-1", count: 3 }] }); // { monthlyUsd: 12, hourlyUsd: 0.0165, unpriced: [] }
 * ```
 */
export function estimateCost({ vps = [], databases = [] }: CostInput): CostEstimate {
  let monthly = 0;
  let hourly = 0;
  const unpriced = new Set(databases.map(({ plan }) => plan));
  for (const { plan, count = 1 } of vps) {
    if (!Number.isInteger(count) || count < 0)
      throw new RangeError(`estimateCost: the count of ${plan} is not a whole number.`);
    const found = vpsPlans.find(({ id }) => id === plan);
    if (found === undefined) {
      unpriced.add(plan);
      continue;
    }
    // Counts in hundredths of a cent, because sums of decimal fractions are not exact.
    monthly += count * Math.round(found.monthlyPriceUsd * 10_000);
    hourly += count * Math.round(found.hourlyPriceUsd * 10_000);
  }
  return { monthlyUsd: monthly / 10_000, hourlyUsd: hourly / 10_000, unpriced: [...unpriced] };
}
