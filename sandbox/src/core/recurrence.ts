import type { Rows } from "../state/rows.js";

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

type Schedule = Pick<Rows["schedules"], "frequency" | "retention_days">;

/** Returns the hour of day of a schedule. Wraps an hour outside 0 to 23, which control can set. */
export function hourOf({ hour_utc }: Pick<Rows["schedules"], "hour_utc">): number {
  return ((hour_utc % 24) + 24) % 24;
}

/** Returns the next time with this hour in UTC. Specification: "Hour of day in UTC at which the backup runs". */
export function firstRun(hour: number, now: number): number {
  const today = Math.floor(now / DAY_MS) * DAY_MS + hourOf({ hour_utc: hour }) * HOUR_MS;
  return today > now ? today : today + DAY_MS;
}

/** Assumed: a weekly backup runs seven days after the previous one, on the weekday of the first. */
function periodOf({ frequency }: Schedule): number {
  return frequency === "weekly" ? 7 * DAY_MS : DAY_MS;
}

/** Whether a due schedule runs now, and when it is due next. */
export interface Run {
  readonly isDue: boolean;
  readonly next: number;
}

/**
 * Plans a schedule that was due at `dueAt` and is handled at `now`, while the clock moves to `heading`. Missed runs,
 * for example while the sandbox was stopped, make one backup, because the past cannot be backed up. Skips a backup
 * that would expire before `heading`.
 */
export function planRun(schedule: Schedule, dueAt: number, now: number, heading: number): Run {
  const period = periodOf(schedule);
  const kept = schedule.retention_days * DAY_MS;
  const next = dueAt + period * (Math.floor((now - dueAt) / period) + 1);
  if (now + kept > heading) return { isDue: true, next };
  const skipped = Math.max(0, Math.floor((heading - kept - next) / period) + 1);
  return { isDue: false, next: next + skipped * period };
}
