import { z } from "zod";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const error = 'must be a duration such as "90s", "20m" or "1h30m"';

/** How long reading a resource may take, in milliseconds. */
const READ = 10 * 60_000;

/** A duration as the engine's `customTimeouts` writes it, in milliseconds. */
export function milliseconds(duration: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) return undefined;
  // Never infinite: what is too long for a number is longer than anybody waits.
  let total = 0;
  for (const [, amount, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  }
  return Math.min(total, Number.MAX_SAFE_INTEGER);
}

const duration = z.string({ error }).refine((value) => (milliseconds(value) ?? 0) > 0, { error });

/** The visible input that carries the option `customTimeouts`, which the engine itself does not hand over. */
export const customTimeouts = z.strictObject({
  create: duration.optional(),
  read: duration.optional(),
  update: duration.optional(),
  delete: duration.optional(),
});

/** The default time limits of a kind, in milliseconds; `customTimeouts` sets others. */
export interface Timeouts {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
}

/** Long enough to be throttled with many others: of kinds that are ready as soon as the service has answered. */
export const IMMEDIATE: Timeouts = { create: 10 * 60_000, update: 10 * 60_000, delete: 10 * 60_000 };

/** How long an operation may take, in milliseconds: its requests and what it waits for. */
export function timeoutOf(
  values: Readonly<Record<string, unknown>>,
  operation: "create" | "read" | "update" | "delete",
  limits: Timeouts,
): number {
  const parsed = customTimeouts.safeParse(values["customTimeouts"]);
  const given = milliseconds((parsed.success ? parsed.data[operation] : undefined) ?? "");
  return given ?? (operation === "read" ? READ : limits[operation]);
}
