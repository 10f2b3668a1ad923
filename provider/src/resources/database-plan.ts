import { type DatabasePlan, databasePlans } from "cloudservices-sdk";
import type { Planned } from "../kernel/definition/kind.js";
import { cannotShrink, listedAs } from "../kernel/definition/rules.js";
import type { Diagnostic } from "../kernel/diagnostics/diagnostic.js";

/*
 * What the specification lists about a database's plan, which responses do not contain.
 */

const planOf = (id: unknown): DatabasePlan | undefined => listedAs(databasePlans, id);

/** Returns the reader of a property of the requested plan. An unlisted plan has none. */
export const ofPlan =
  (property: Exclude<keyof DatabasePlan, "id">) =>
  (_remote: unknown, { plan }: Readonly<Record<string, unknown>> = {}): number | null | undefined =>
    plan === undefined ? undefined : (planOf(plan)?.[property] ?? null);

export const storageRule = (planned: Planned<{ plan: string }>): Diagnostic[] =>
  cannotShrink(planned, "plan", (plan) => planOf(plan)?.storageGb, { of: "storage", resource: "database" });
