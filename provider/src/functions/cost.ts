import type * as pulumi from "@pulumi/pulumi";
import { type CostEstimate, type CostInput, estimateCost as sumOf } from "cloudservices-sdk";
import { z } from "zod";
import { integer, listOf, text } from "../kernel/definition/fields.js";
import { type Inputs, query } from "./query.js";

export type { CostEstimate, CostInput };

const plans = () =>
  listOf(z.strictObject({ plan: text(), count: integer(0, 1_000_000).default(1) }), "{ plan, count }");

const cost = query({
  name: "estimateCost",
  args: { vps: plans().default([]), databases: plans().default([]) },
  run: (_service, args): CostEstimate => sumOf(args),
});

/**
 * Adds up the prices of plans, in USD, without a request. The specification prices only servers ("VPS instance",
 * Plans): `unpriced` names databases and other plans, which are not in the sums.
 */
export function estimateCost(args: CostInput): Promise<CostEstimate> {
  return cost.promise(args);
}

/** Like {@link estimateCost}, for outputs. */
export function estimateCostOutput(args: Inputs<CostInput>): pulumi.Output<CostEstimate> {
  return cost.output(args);
}
