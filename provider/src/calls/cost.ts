import type * as pulumi from "@pulumi/pulumi";
import type { CostEstimate, CostInput } from "cloudservices-sdk";
import { functions } from "../generated/signatures.js";
import { type Inputs, query } from "./query.js";

export type { CostEstimate, CostInput };

const cost = query(functions.estimateCost, async () => (await import("../functions/cost.js")).estimateCost);

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
