import { z } from "zod";
import { type SmtpFaultEffect, type SmtpMoment, smtpFaultEffect } from "../services/inboxes/smtp-fault.js";

const moment = z.enum(["before", "after"]);

/**
 * The kinds of faults. `when: "before"` prevents the operation; with `"after"`, it runs, and only the response is
 * lost or wrong.
 */
const kinds = [
  z.strictObject({
    kind: z.literal("status"),
    status: z.int().min(400).max(599),
    when: moment,
    /** The error code; by default the usual one of the status. */
    code: z.string().min(1).max(100).optional(),
    /** Seconds, sent as `Retry-After`. */
    retryAfter: z.number().min(0).max(86_400).optional(),
  }),
  z.strictObject({ kind: z.literal("drop"), when: moment }),
  z.strictObject({ kind: z.literal("cut") }),
  z.strictObject({ kind: z.literal("html"), status: z.int().min(200).max(599), when: moment }),
  z.strictObject({ kind: z.literal("slow"), ms: z.int().min(0).max(3_600_000), when: moment }),
  z.strictObject({ kind: z.literal("rateLimit"), retryAfter: z.number().min(0).max(86_400).optional() }),
  z.strictObject({ kind: z.literal("stale"), commits: z.int().min(1).max(16).optional() }),
] as const;

/** How often a fault applies. */
const occasions = {
  /** How many matching requests pass before the fault applies. Default: 0. */
  skip: z.int().min(0).max(1_000_000).optional(),
  /** How often the fault applies. Default: always. */
  count: z.int().min(1).max(1_000_000).optional(),
  /** The share of matching requests that the fault affects, decided by the seed. Default: all. */
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().min(0).max(0xffff_ffff).optional(),
};

const rule = {
  /** A path below the base URL; `:name` matches a segment, `*` anything. Default: every path. */
  route: z.string().min(1).max(500).optional(),
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).optional(),
  tenant: z.string().min(1).max(64).optional(),
  ...occasions,
};

/** A fault of SMTP. */
const smtpFaultSchema = smtpFaultEffect.extend({
  kind: z.literal("smtp"),
  /** An address in which `*` matches anything; such a fault applies from RCPT TO on. Default: every mail. */
  recipient: z.string().min(1).max(320).toLowerCase().optional(),
  ...occasions,
});

export const faultSchema = z.discriminatedUnion("kind", [
  kinds[0].extend(rule),
  kinds[1].extend(rule),
  kinds[2].extend(rule),
  kinds[3].extend(rule),
  kinds[4].extend(rule),
  kinds[5].extend(rule),
  kinds[6].extend(rule),
  smtpFaultSchema,
]);
/** A fault of sessions with the SMTP server. */
export type SmtpFault = z.infer<typeof smtpFaultSchema>;
/** A fault of requests to the API. */
export type Fault = Exclude<z.infer<typeof faultSchema>, SmtpFault>;

export interface ActiveFault {
  readonly id: string;
  readonly fault: Fault | SmtpFault;
  /** How often the fault has been applied. */
  readonly struck: number;
}

interface Rule {
  readonly id: string;
  readonly fault: Fault | SmtpFault;
  readonly pattern: RegExp;
  readonly random: () => number;
  seen: number;
  struck: number;
}

/** The faults in force. At most one applies to a request: the first match in order of creation. */
export class Faults {
  #rules: Rule[] = [];
  #made = 0;

  add(fault: Fault | SmtpFault): string {
    this.#made += 1;
    const id = `fault_${this.#made}`;
    this.#rules.push({
      id,
      fault,
      pattern: patternOf((fault.kind === "smtp" ? fault.recipient : fault.route) ?? "*"),
      random: seeded(fault.seed ?? 1),
      seen: 0,
      struck: 0,
    });
    return id;
  }

  list(): ActiveFault[] {
    return this.#rules.map(({ id, fault, struck }) => ({ id, fault, struck }));
  }

  /** Removes one fault, or all. Returns whether any was removed. */
  clear(id?: string): boolean {
    const before = this.#rules.length;
    this.#rules = id === undefined ? [] : this.#rules.filter((each) => each.id !== id);
    return this.#rules.length < before;
  }

  /** Returns the fault that applies to a request. */
  strike(request: { method: string; path: string; tenant: string | undefined }): Fault | undefined {
    for (const each of this.#rules) {
      const { fault } = each;
      if (fault.kind === "smtp") continue;
      if (fault.method !== undefined && fault.method !== request.method) continue;
      if (fault.tenant !== undefined && fault.tenant !== request.tenant) continue;
      if (!each.pattern.test(request.path)) continue;
      // A stale read affects only reads.
      if (fault.kind === "stale" && request.method !== "GET") continue;
      if (applies(each)) return fault;
    }
    return undefined;
  }

  /** Returns the fault that applies to a moment of an SMTP session. */
  findSmtpFault(at: SmtpMoment, recipients: readonly string[]): SmtpFaultEffect | undefined {
    for (const each of this.#rules) {
      const { fault, pattern } = each;
      if (fault.kind !== "smtp" || fault.at !== at) continue;
      const isMeant =
        fault.recipient === undefined || recipients.some((one) => pattern.test(one.toLowerCase()));
      if (isMeant && applies(each)) return fault;
    }
    return undefined;
  }
}

/** Counts a match, and returns whether the fault applies to it. */
function applies(rule: Rule): boolean {
  const { fault } = rule;
  if (fault.count !== undefined && rule.struck >= fault.count) return false;
  rule.seen += 1;
  if (rule.seen <= (fault.skip ?? 0)) return false;
  if (fault.probability !== undefined && rule.random() >= fault.probability) return false;
  rule.struck += 1;
  return true;
}

function patternOf(route: string): RegExp {
  const source = route
    .replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll(/:\w+/g, "[^/]+")
    .replaceAll("*", ".*");
  return new RegExp(`^${source}$`);
}

/** Mulberry32: a small generator with the same sequence for the same seed on every platform. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
