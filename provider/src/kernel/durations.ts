import { z } from "zod";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const error = 'must be a duration such as "90s", "20m" or "1h30m"';

/** A duration as the engine's `customTimeouts` writes it, in milliseconds. */
export function milliseconds(duration: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) return undefined;
  let total = 0;
  for (const [, amount, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  }
  return total;
}

const duration = z.string({ error }).refine((value) => (milliseconds(value) ?? 0) > 0, { error });

/** The visible input that carries the option `customTimeouts`, which the engine itself does not hand over. */
export const customTimeouts = z.strictObject({
  create: duration.optional(),
  update: duration.optional(),
  delete: duration.optional(),
});

/** How long an operation may wait, in milliseconds. */
export function timeLimit(
  values: Readonly<Record<string, unknown>>,
  operation: "create" | "update" | "delete",
  otherwise: number,
): number {
  const parsed = customTimeouts.safeParse(values["customTimeouts"]);
  return milliseconds((parsed.success ? parsed.data[operation] : undefined) ?? "") ?? otherwise;
}
