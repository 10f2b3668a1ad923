import { describe, expect, it } from "vitest";
import {
  databaseEngines,
  databasePlans,
  estimateCost,
  eventNames,
  vpsActions,
  vpsImages,
  vpsPlans,
} from "./catalogue.js";

/** The rows of a table, as in the specification. */
const rowsOf = (table: string): string[][] =>
  table
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const numberOf = (cell = ""): number => Number(cell.replace(/ (GB|TB\/mo|USD|days)$/, "").replace(",", ""));

describe("the catalogue", () => {
  it("lists the database plans of the specification", () => {
    const table = `
| db-starter-1 | 1 GB | 1 | 20 GB | 100 | 7 days |
| db-standard-2 | 4 GB | 2 | 60 GB | 500 | 14 days |
| db-pro-4 | 8 GB | 4 | 150 GB | 1,500 | 30 days |
| db-scale-8 | 16 GB | 8 | 300 GB | 4,000 | 30 days |`;
    expect(databasePlans).toEqual(
      rowsOf(table).map(([id, ...cells]) => {
        const [ramGb, vcpus, storageGb, maxConnections, backupRetentionDays] = cells.map(numberOf);
        return { id, ramGb, vcpus, storageGb, maxConnections, backupRetentionDays };
      }),
    );
  });

  it("lists the server plans of the specification with their prices", () => {
    const table = `
| vps-micro-1 | 1 | 1 GB | 25 GB | 1 TB/mo | 4.00 USD | 0.0055 USD |
| vps-standard-2 | 2 | 4 GB | 80 GB | 4 TB/mo | 15.00 USD | 0.0208 USD |
| vps-standard-4 | 4 | 8 GB | 160 GB | 8 TB/mo | 30.00 USD | 0.0416 USD |
| vps-memory-8 | 4 | 16 GB | 240 GB | 10 TB/mo | 55.00 USD | 0.0763 USD |
| vps-compute-8 | 8 | 16 GB | 320 GB | 12 TB/mo | 80.00 USD | 0.1111 USD |
| vps-enterprise-16 | 16 | 32 GB | 640 GB | 20 TB/mo | 150.00 USD | 0.2083 USD |`;
    expect(vpsPlans).toEqual(
      rowsOf(table).map(([id, ...cells]) => {
        const [vcpus, ramGb, diskGb, bandwidthTb, monthlyPriceUsd, hourlyPriceUsd] = cells.map(numberOf);
        return { id, vcpus, ramGb, diskGb, bandwidthTb, monthlyPriceUsd, hourlyPriceUsd };
      }),
    );
  });

  it("lists the engines of the specification with their versions", () => {
    const table = `
| PostgreSQL | 15, 16 | PostGIS, pgvector, full-text search, connection pooling |
| MySQL | 8.0, 8.4 | InnoDB, GTID replication, binlog replication |
| Redis / Valkey | 7.2 | Pub/Sub, streams, cluster sharding |
| MongoDB | 7.0 | Replica sets, automatic indexing |`;
    expect(databaseEngines.map(({ name, versions, features }) => ({ name, versions, features }))).toEqual(
      rowsOf(table).map(([name, versions, features]) => ({
        name,
        versions: versions?.split(", "),
        features: features?.split(", "),
      })),
    );
  });

  it.each([
    [
      "images",
      vpsImages,
      "ubuntu-24.04-lts, ubuntu-22.04-lts, debian-12, debian-11, almalinux-9, rocky-9, alpine-3.20, windows-server-2022, windows-server-2025",
    ],
    ["actions", vpsActions, "start, stop, reboot, rebuild, create_snapshot"],
    ["events", eventNames, "database.backup.completed, database.backup.failed, vps.snapshot.completed"],
  ])("lists the %s of the specification", (_, list, specified) => {
    expect(list).toEqual(specified.split(", "));
  });

  it("gives identifiers only where the specification does", () => {
    expect(databaseEngines.flatMap((engine) => ("id" in engine ? [engine.id] : []))).toEqual(["postgresql"]);
  });
});

describe("estimateCost", () => {
  it("adds up without rounding errors", () => {
    expect(estimateCost({ vps: [{ plan: "vps-micro-1", count: 3 }, { plan: "vps-memory-8" }] })).toEqual({
      monthlyUsd: 67,
      hourlyUsd: 0.0928,
      unpriced: [],
    });
  });

  it("names plans without a price instead of counting them as free", () => {
    const estimate = estimateCost({
      vps: [{ plan: "vps-new-32" }],
      databases: [{ plan: "db-pro-4" }, { plan: "db-pro-4" }],
    });
    expect(estimate).toEqual({ monthlyUsd: 0, hourlyUsd: 0, unpriced: ["db-pro-4", "vps-new-32"] });
  });

  it("returns zero without plans", () => {
    expect(estimateCost({})).toEqual({ monthlyUsd: 0, hourlyUsd: 0, unpriced: [] });
  });

  it("rejects a count that is no whole number", () => {
    expect(() => estimateCost({ vps: [{ plan: "vps-micro-1", count: 0.5 }] })).toThrow(RangeError);
  });
});
