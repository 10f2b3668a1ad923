import { z } from "zod";
import type { Pending } from "../state/rows.js";

const text = z.string().min(1).max(500);
const duration = z.int().min(0).max(86_400_000);

/**
 * How a resource gets from a pending state to its settled one: after a time (virtual milliseconds; 0 is at
 * once), after so many reads, never, or into `failed` with a reason.
 */
export const progressionSchema = z.discriminatedUnion("mode", [
  z.strictObject({ mode: z.literal("time"), ms: duration }),
  z.strictObject({ mode: z.literal("reads"), reads: z.int().min(1).max(10_000) }),
  z.strictObject({ mode: z.literal("stuck") }),
  z.strictObject({ mode: z.literal("fail"), reason: text, ms: duration.optional() }),
]);
export type Progression = z.infer<typeof progressionSchema>;

/**
 * `database` and `vps` are creations (and changes of a database); `vpsAction` is everything done to a VPS; `backup`
 * is a backup of a database, from its hour on.
 */
export const progressionKinds = ["database", "vps", "vpsAction", "deletion", "backup"] as const;
export type ProgressionKind = (typeof progressionKinds)[number];

interface Override {
  readonly progression: Progression;
  readonly tenant: string | undefined;
  left: number;
}

/** Where a resource goes next, in the form in which its row remembers it. */
export interface Transition {
  readonly pending: Pending;
  readonly dueAt: number | undefined;
}

export class Progressions {
  readonly #usual: Map<ProgressionKind, Progression>;
  readonly #initial: Readonly<Record<ProgressionKind, number>>;
  readonly #exceptions = new Map<ProgressionKind, Override[]>();

  constructor(durations: Readonly<Record<ProgressionKind, number>>) {
    this.#initial = durations;
    this.#usual = new Map();
    this.reset();
  }

  /** Sets it for good, or for the `next` occasions (of one tenant, when given). */
  set(kind: ProgressionKind, progression: Progression, only: { next?: number; tenant?: string } = {}): void {
    if (only.next === undefined && only.tenant === undefined) {
      this.#usual.set(kind, progression);
      return;
    }
    const left = only.next ?? Number.POSITIVE_INFINITY;
    const exceptions = this.#exceptions.get(kind) ?? [];
    exceptions.push({ progression, tenant: only.tenant, left });
    this.#exceptions.set(kind, exceptions);
  }

  reset(): void {
    this.#exceptions.clear();
    for (const kind of progressionKinds) this.#usual.set(kind, { mode: "time", ms: this.#initial[kind] });
  }

  /** The transition of one resource towards `to`, using up an exception where one applies. */
  begin(kind: ProgressionKind, tenant: string, to: string, now: number): Transition {
    const progression = this.#take(kind, tenant);
    switch (progression.mode) {
      case "time":
        return { pending: { to }, dueAt: now + progression.ms };
      case "reads":
        return { pending: { to, reads: progression.reads }, dueAt: undefined };
      case "stuck":
        return { pending: { to }, dueAt: undefined };
      case "fail":
        return {
          pending: { to: "failed", reason: progression.reason },
          dueAt: now + (progression.ms ?? this.#initial[kind]),
        };
    }
  }

  #take(kind: ProgressionKind, tenant: string): Progression {
    const exceptions = this.#exceptions.get(kind) ?? [];
    const found = exceptions.find((each) => each.tenant === undefined || each.tenant === tenant);
    if (!found) return this.#usual.get(kind) ?? { mode: "time", ms: this.#initial[kind] };
    found.left -= 1;
    if (found.left <= 0) exceptions.splice(exceptions.indexOf(found), 1);
    return found.progression;
  }
}

/** The usual progressions by the settings: each kind takes its time. */
export function createProgressions(times: {
  databaseMs: number;
  vpsMs: number;
  vpsActionMs: number;
  deletionMs: number;
}): Progressions {
  return new Progressions({
    database: times.databaseMs,
    vps: times.vpsMs,
    vpsAction: times.vpsActionMs,
    deletion: times.deletionMs,
    // As long as it really takes, and no virtual time on top.
    backup: 0,
  });
}
