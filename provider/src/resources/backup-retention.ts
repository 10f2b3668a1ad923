import { databasePlans } from "cloudservices-sdk";
import type { Planned } from "../kernel/definition/kind.js";
import { ALLOW_UNLISTED } from "../kernel/definition/rules.js";
import type { Diagnostic } from "../kernel/diagnostics/diagnostic.js";
import { PLAN_KEY } from "./database-behind.js";

/*
 * The rule that a database's plan limits how long backups are kept.
 */

/** Specification: "Database", Plan tiers, Backup retention. */
export function retentionRule(planned: Planned<{ retentionDays: number }>): Diagnostic[] {
  const days = planned.after("retentionDays");
  const plan = databasePlans.find(({ id }) => id === planned.hint(PLAN_KEY));
  if (days === undefined || plan === undefined || planned.settings.allowUnlisted) return [];
  if (days <= plan.backupRetentionDays) return [];
  const summary = `retentionDays is more than the ${plan.backupRetentionDays} days for which the plan ${plan.id} keeps backups`;
  return [{ code: "INPUT_UNLISTED", summary, fixes: [ALLOW_UNLISTED] }];
}
