import { z } from "zod";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const error = 'must be a duration such as "90s", "20m" or "1h30m"';

/** How long reading a resource may take, in milliseconds. */
const READ = 10 * 60_000;

/** Parses a duration in the syntax of the engine's `customTimeouts` into milliseconds. */
export function milliseconds(duration: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) return undefined;
  // Capped, because a very long duration would become infinite.
  let total = 0;
  for (const [, amount, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  }
  return Math.min(total, Number.MAX_SAFE_INTEGER);
}

const duration = z.string({ error }).refine((value) => (milliseconds(value) ?? 0) > 0, { error });

/** The schema of the option `customTimeouts`. */
export const customTimeouts = z.strictObject({
  create: duration.optional(),
  read: duration.optional(),
  update: duration.optional(),
  delete: duration.optional(),
});

/** The default timeouts of a kind, in milliseconds; `customTimeouts` overrides them. */
export interface Timeouts {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
}

/** The timeouts of kinds that are ready with the response: long enough for rate limiting with many resources. */
export const IMMEDIATE: Timeouts = { create: 10 * 60_000, update: 10 * 60_000, delete: 10 * 60_000 };

/** The limits of one resource's operations, in milliseconds. Each includes its requests and waits. */
export interface OperationTimeouts extends Timeouts {
  readonly read: number;
}

/** Returns the limits of a resource: those of its option `customTimeouts`, or the defaults of its kind. */
export function timeoutsOf(timeouts: unknown, defaults: Timeouts): OperationTimeouts {
  const parsed = customTimeouts.safeParse(timeouts);
  const given = parsed.success ? parsed.data : {};
  const limit = (operation: keyof OperationTimeouts, fallback: number) =>
    milliseconds(given[operation] ?? "") ?? fallback;
  return {
    create: limit("create", defaults.create),
    read: limit("read", READ),
    update: limit("update", defaults.update),
    delete: limit("delete", defaults.delete),
  };
}
