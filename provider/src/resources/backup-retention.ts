import { databasePlans } from "cloudservices-sdk";
import type { Planned } from "../kernel/definition/kind.js";
import { ALLOW_UNLISTED, listedAs } from "../kernel/definition/rules.js";
import type { Diagnostic, Fix } from "../kernel/diagnostics/diagnostic.js";
import { PLAN_KEY } from "./database-behind.js";

/*
 * The rule that a database's plan limits how long backups are kept.
 */

/** Specification: "Database", Plan tiers, Backup retention. */
export function retentionRule(planned: Planned<{ retentionDays: number }>): Diagnostic[] {
  const days = planned.after("retentionDays");
  // The class knows the plan of a database that does not exist yet; other languages have no such hint.
  const plan = listedAs(databasePlans, planned.hint(PLAN_KEY) ?? planned.ofParent("plan"));
  if (days === undefined || plan === undefined || planned.settings.allowUnlisted) return [];
  if (days <= plan.backupRetentionDays) return [];
  const summary = `retentionDays is more than the ${plan.backupRetentionDays} days for which the plan ${plan.id} keeps backups`;
  const larger = databasePlans.find(({ backupRetentionDays }) => backupRetentionDays >= days);
  const fixes: Fix[] = [
    { when: "to keep the plan", line: `retentionDays: ${plan.backupRetentionDays}` },
    ...(larger ? [{ when: "to keep backups longer", line: `plan: "${larger.id}" for the database` }] : []),
    ALLOW_UNLISTED,
  ];
  return [{ code: "INPUT_UNLISTED", summary, fixes }];
}
