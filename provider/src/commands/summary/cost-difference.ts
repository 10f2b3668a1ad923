import { estimateCost } from "cloudservices-sdk";
import { type Change, planIn } from "./changes.js";
import type { Subject } from "./urn.js";

/** The plan of a resource before and after. */
export interface PlanChange {
  readonly subject: Subject;
  /** `undefined` where it does not exist then; `"unknown"` where the plan is known only when it is applied. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** In USD a month; `undefined` if the specification has no price for one of the plans. */
  readonly monthlyUsd: number | undefined;
}

/** What a change costs more or less than before. */
export interface CostDifference {
  /** The sums of what has a price. */
  readonly monthlyUsd: number;
  readonly hourlyUsd: number;
  readonly plans: readonly PlanChange[];
}

const BILLED = new Set(["Database", "VpsInstance"]);

/** Returns the difference that changes make, by the price table of the specification. */
export function costDifference(changes: readonly Change[]): CostDifference {
  let [monthly, hourly] = [0, 0];
  const plans = changes.flatMap((change): PlanChange[] => {
    const [before, after] = plansOf(change);
    if (before === after) return [];
    const { subject } = change;
    const [old, next] = [priceOf(subject, before), priceOf(subject, after)];
    if (!old || !next) return [{ subject, before, after, monthlyUsd: undefined }];
    monthly += next.monthly - old.monthly;
    hourly += next.hourly - old.hourly;
    return [{ subject, before, after, monthlyUsd: (next.monthly - old.monthly) / UNITS }];
  });
  return { monthlyUsd: monthly / UNITS, hourlyUsd: hourly / UNITS, plans };
}

function plansOf({ subject, action, before, after }: Change): [string | undefined, string | undefined] {
  if (!BILLED.has(subject.kind ?? "")) return [undefined, undefined];
  const [old, next] = [planIn(before) ?? "unknown", planIn(after) ?? "unknown"];
  switch (action) {
    case "create":
    case "recreate":
      return [undefined, next];
    case "delete":
      return [old, undefined];
    case "update":
    case "replace":
      return [old, next];
    default:
      // An adopted or a retained resource costs as much as before.
      return [undefined, undefined];
  }
}

/** Hundredths of a cent, because sums of decimal fractions are not exact. */
const UNITS = 10_000;

function priceOf(
  { kind }: Subject,
  plan: string | undefined,
): { monthly: number; hourly: number } | undefined {
  if (plan === undefined) return { monthly: 0, hourly: 0 };
  const list = [{ plan }];
  const cost = estimateCost(kind === "Database" ? { databases: list } : { vps: list });
  if (cost.unpriced.length > 0) return undefined;
  return { monthly: Math.round(cost.monthlyUsd * UNITS), hourly: Math.round(cost.hourlyUsd * UNITS) };
}
