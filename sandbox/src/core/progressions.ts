import { z } from "zod";
import type { Pending } from "../state/rows.js";

const text = z.string().min(1).max(500);
const duration = z.int().min(0).max(86_400_000);

/**
 * How a resource leaves a pending state: after some virtual milliseconds (0: at once), after some reads, never, or by
 * failing with a reason.
 */
export const progressionSchema = z.discriminatedUnion("mode", [
  z.strictObject({ mode: z.literal("time"), ms: duration }),
  z.strictObject({ mode: z.literal("reads"), reads: z.int().min(1).max(10_000) }),
  z.strictObject({ mode: z.literal("stuck") }),
  z.strictObject({ mode: z.literal("fail"), reason: text, ms: duration.optional() }),
]);
export type Progression = z.infer<typeof progressionSchema>;

/**
 * `database`: creation and changes; `vps`: creation; `vpsAction`: actions on a VPS; `deletion`; `backup`: a backup
 * once it is due.
 */
export const progressionKinds = ["database", "vps", "vpsAction", "deletion", "backup"] as const;
export type ProgressionKind = (typeof progressionKinds)[number];

/** The oldest exception of a kind gives way beyond this number. */
const MAX_EXCEPTIONS = 10_000;

interface Override {
  readonly progression: Progression;
  readonly tenant: string | undefined;
  left: number;
}

/** The next state of a resource, as its row stores it. */
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

  /** Sets a progression permanently, or for the `next` transitions, of one tenant or of all. */
  set(kind: ProgressionKind, progression: Progression, only: { next?: number; tenant?: string } = {}): void {
    if (only.next === undefined && only.tenant === undefined) {
      this.#usual.set(kind, progression);
      return;
    }
    const left = only.next ?? Number.POSITIVE_INFINITY;
    const exceptions = this.#exceptions.get(kind) ?? [];
    if (exceptions.length >= MAX_EXCEPTIONS) exceptions.shift();
    exceptions.push({ progression, tenant: only.tenant, left });
    this.#exceptions.set(kind, exceptions);
  }

  reset(): void {
    this.#exceptions.clear();
    for (const kind of progressionKinds) this.#usual.set(kind, { mode: "time", ms: this.#initial[kind] });
  }

  /** Starts a transition to `to`. Uses up an override where one applies. */
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

/** Creates progressions with the configured durations. */
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
    // Backups take only real time.
    backup: 0,
  });
}
