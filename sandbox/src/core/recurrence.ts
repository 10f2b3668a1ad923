import type { Rows } from "../state/rows.js";

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

type Schedule = Pick<Rows["schedules"], "frequency" | "retention_days">;

/** The hour of the day at which a schedule runs; one that no day has was set out of band, and is counted on. */
export function hourOf({ hour_utc }: Pick<Rows["schedules"], "hour_utc">): number {
  return ((hour_utc % 24) + 24) % 24;
}

/** The next time that it is `hour` in UTC. Specification: "Hour of day in UTC at which the backup runs". */
export function firstRun(hour: number, now: number): number {
  const today = Math.floor(now / DAY_MS) * DAY_MS + hourOf({ hour_utc: hour }) * HOUR_MS;
  return today > now ? today : today + DAY_MS;
}

/** Assumed: a weekly backup runs seven days after the one before, on the weekday of the first. */
function periodOf({ frequency }: Schedule): number {
  return frequency === "weekly" ? 7 * DAY_MS : DAY_MS;
}

/** What a schedule whose time has come does: whether a backup is made now, and when the next is due. */
export interface Run {
  readonly isDue: boolean;
  readonly next: number;
}

/**
 * A schedule that was due at `dueAt` meets its turn at `now`, on the way to `heading`. However many turns were
 * missed, for example while the sandbox did not run, one backup is made: the past cannot be backed up any more. And
 * none is made that would be gone again at the end of the way.
 */
export function planRun(schedule: Schedule, dueAt: number, now: number, heading: number): Run {
  const period = periodOf(schedule);
  const kept = schedule.retention_days * DAY_MS;
  const next = dueAt + period * (Math.floor((now - dueAt) / period) + 1);
  if (now + kept > heading) return { isDue: true, next };
  const skipped = Math.max(0, Math.floor((heading - kept - next) / period) + 1);
  return { isDue: false, next: next + skipped * period };
}
