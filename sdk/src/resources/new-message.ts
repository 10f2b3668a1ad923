import { CloudServicesError } from "../core/base-error.js";
import type { Clock } from "../core/clock.js";
import { pause } from "../core/deadline.js";
import { TimeoutError, WaitTimeoutError } from "../core/errors.js";
import type { RequestOptions } from "../core/request-options.js";
import { isTransient } from "../core/transient.js";
import type { MessageSummary } from "./mail.js";

/** What was in an inbox at some time. */
export interface MessageCursor {
  readonly inboxId: string;
  readonly seen: readonly string[];
}

/** Which message to wait for, and how long. */
export interface WaitForMessageOptions {
  /** Part of the sender, whatever the case, or a pattern for it. */
  readonly from?: string | RegExp | undefined;
  /** Part of the subject, whatever the case, or a pattern for it. */
  readonly subject?: string | RegExp | undefined;
  /**
   * Only what came later: after a cursor, or received by the service's clock at or after this time (a `Date` or
   * ISO 8601). Default: what is not there at the first look.
   */
  readonly since?: MessageCursor | Date | string | undefined;
  /** Milliseconds until the wait gives up. Default 120,000. */
  readonly timeout?: number | undefined;
  /** Milliseconds between the first looks. Default: the client's `pollInterval`. */
  readonly interval?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a wait needs of its surroundings. */
export interface MessageWait {
  readonly inboxId: string;
  readonly list: (options: RequestOptions) => Promise<MessageSummary[]>;
  readonly pollInterval: number;
  readonly clock: Clock;
  readonly random: () => number;
}

const DEFAULT_TIMEOUT = 120_000;
const LONGEST_INTERVAL = 5_000;

/** Looks until there is a new message that fits, and gives the newest of them. */
export async function newMessage(wait: MessageWait, options: WaitForMessageOptions): Promise<MessageSummary> {
  const { timeout = DEFAULT_TIMEOUT, signal, since } = options;
  const { clock, inboxId } = wait;
  const path = `/tempmail/inboxes/${inboxId}/messages`;
  const limits = {
    method: "GET" as const,
    path,
    ...(signal !== undefined && { signal }),
    timeout,
    deadline: timeout,
    deadlineAt: clock.now() + timeout,
  };
  let isOld = oldBy(since);
  let lastError: CloudServicesError | undefined;
  let interval = options.interval ?? wait.pollInterval;
  let others = 0;
  for (;;) {
    const left = Math.max(1, limits.deadlineAt - clock.now());
    try {
      const messages = await wait.list({ signal, deadline: left });
      lastError = undefined;
      isOld ??= oldBy({ inboxId, seen: messages.map(({ id }) => id) });
      const fresh = messages.filter((message) => isOld?.(message) === false);
      const fitting = fresh.filter((message) => fits(message, options));
      others = fresh.length - fitting.length;
      const [newest] = fitting.sort((a, b) => received(b) - received(a));
      if (newest !== undefined) return newest;
    } catch (error) {
      if (!(error instanceof CloudServicesError) || !isTransient(error)) throw error;
      lastError = error;
    }
    try {
      await pause(interval * (0.9 + wait.random() / 5), limits, clock);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      const seen = others === 0 ? "no new message" : `no match among ${others} new message(s)`;
      const failing =
        lastError === undefined ? "" : `; the last poll failed: ${lastError.message.replace(/\.$/, "")}`;
      const message = `inbox ${inboxId}: ${seen} within ${timeout} ms${failing}.`;
      const advice = "Check the address and the criteria.";
      throw new WaitTimeoutError({ message, advice, method: "GET", path, cause: lastError });
    }
    interval = Math.max(interval, Math.min(LONGEST_INTERVAL, interval * 1.3));
  }
}

function oldBy(since: WaitForMessageOptions["since"]): ((message: MessageSummary) => boolean) | undefined {
  if (since === undefined) return undefined;
  if (typeof since === "string" || since instanceof Date) {
    const from = new Date(since).getTime();
    if (Number.isNaN(from)) throw new TypeError("waitForMessage: `since` is no date.");
    // Without a time nobody can say that it is new, and an old code must never pass for a new one.
    return (message) => !(received(message) >= from);
  }
  const seen = new Set(since.seen);
  return ({ id }) => seen.has(id);
}

function received({ receivedAt }: MessageSummary): number {
  return receivedAt === undefined ? Number.NaN : Date.parse(receivedAt);
}

function fits({ sender, subject }: MessageSummary, wanted: WaitForMessageOptions): boolean {
  return matches(sender, wanted.from) && matches(subject, wanted.subject);
}

function matches(text: string | undefined, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  if (text === undefined) return false;
  if (typeof wanted === "string") return text.toLowerCase().includes(wanted.toLowerCase());
  // A pattern with `g` or `y` remembers its last match, and would miss every other message.
  return new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, "")).test(text);
}
