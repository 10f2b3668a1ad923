import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { estimateCost, estimateCostOutput } from "./cost.js";

it("adds up servers, and names unpriced plans", async () => {
  const estimate = await estimateCost({
    vps: [{ plan: "vps-micro-1", count: 3 }, { plan: "vps-standard-2" }],
    databases: [{ plan: "db-pro-4" }],
  });
  expect(estimate).toEqual({ monthlyUsd: 27, hourlyUsd: 0.0373, unpriced: ["db-pro-4"] });
});

it("accepts outputs of resources, at any depth", async () => {
  const found = estimateCostOutput({ vps: [{ plan: pulumi.output("vps-micro-1"), count: 2 }] });
  expect(await new Promise((resolve) => found.monthlyUsd.apply(resolve))).toBe(8);
});

it("rejects an impossible number of servers", async () => {
  await expect(estimateCost({ vps: [{ plan: "vps-micro-1", count: 0.5 }] })).rejects.toThrow(
    "estimateCost: vps.0.count must be a whole number from 0 to 1000000.",
  );
});
