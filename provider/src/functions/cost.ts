import { type CostEstimate, estimateCost as sumOf } from "cloudservices-sdk";
import { z } from "zod";
import { integer, listOf, text } from "../kernel/definition/fields.js";
import { defineFunction } from "./define-function.js";

const plan = z.strictObject({
  /** The id of the plan. */
  plan: text(),
  /** How many of it. Default: 1. */
  count: integer(0, 1_000_000).default(1),
});

const plans = () => listOf(plan, "{ plan, count }").default([]);

/**
 * Adds up the prices of plans, in USD, without a request. The specification prices only servers: `unpriced` names
 * databases and other plans, which are not in the sums.
 */
export const estimateCost = defineFunction({
  name: "estimateCost",
  args: {
    /** The plans of servers. */
    vps: plans(),
    /** The plans of databases. */
    databases: plans(),
  },
  run: (_service, args): CostEstimate => sumOf(args),
});
