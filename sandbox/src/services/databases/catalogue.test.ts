import { expect, test } from "vitest";
import { databasePlans, engineVersions, planOf, versionsOf } from "./catalogue.js";

test("the plans of databases are the specification's", () => {
  expect(Object.keys(databasePlans)).toEqual(["db-starter-1", "db-standard-2", "db-pro-4", "db-scale-8"]);
  const column = (figure: "ramGb" | "vcpus" | "storageGb" | "maxConnections" | "retentionDays") =>
    Object.values(databasePlans).map((plan) => plan[figure]);
  expect(column("ramGb")).toEqual([1, 4, 8, 16]);
  expect(column("vcpus")).toEqual([1, 2, 4, 8]);
  expect(column("storageGb")).toEqual([20, 60, 150, 300]);
  expect(column("maxConnections")).toEqual([100, 500, 1_500, 4_000]);
  expect(column("retentionDays")).toEqual([7, 14, 30, 30]);
});

test("the versions of each engine are the specification's", () => {
  expect(engineVersions).toEqual({
    postgresql: ["15", "16"],
    mysql: ["8.0", "8.4"],
    redis: ["7.2"],
    valkey: ["7.2"],
    mongodb: ["7.0"],
  });
});

test("what is not listed has no plan and no version", () => {
  expect(planOf("db-huge-64")).toBeUndefined();
  expect(planOf("toString")).toBeUndefined();
  expect(versionsOf("oracle")).toEqual([]);
});
