import type { Goal, PollTarget } from "../core/poll-target.js";
import type { Poller } from "../core/poller.js";
import type { RequestOptions } from "../core/request-options.js";
import type { MessageSummary } from "./mail.js";

/** The messages of an inbox at one time. */
export interface MessageCursor {
  /** The id of the inbox. */
  readonly inboxId: string;
  /** The ids of the messages that are not new. */
  readonly seen: readonly string[];
}

/** Which message to wait for, and how long. */
export interface WaitForMessageOptions {
  /** Part of the sender, in any case, or a pattern for it. */
  readonly from?: string | RegExp | undefined;
  /** Part of the subject, in any case, or a pattern for it. */
  readonly subject?: string | RegExp | undefined;
  /**
   * Only newer messages: those that a cursor has not seen, or those received at or after a time of the service's clock
   * (a `Date` or ISO 8601). Default: those that the first poll does not find.
   */
  readonly since?: MessageCursor | Date | string | undefined;
  /** Milliseconds until the wait fails with a {@link WaitTimeoutError}. Default 120,000 (2 minutes). */
  readonly timeout?: number | undefined;
  /** Milliseconds from the first poll to the second. Later pauses grow. Default: the client's `pollInterval`. */
  readonly interval?: number | undefined;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** An inbox as a poll finds it. */
export interface InboxContents {
  readonly id: string;
  readonly messages: readonly MessageSummary[];
}

/** Returns how to poll inboxes. A 404 ends a wait at once: an inbox exists as soon as it has an id. */
export function inboxTarget(
  list: (inboxId: string, options: RequestOptions) => Promise<MessageSummary[]>,
): PollTarget<InboxContents> {
  return {
    noun: "inbox",
    path: (id) => `/tempmail/inboxes/${id}/messages`,
    get: async (id, options) => ({ id, messages: await list(id, options) }),
    pauses: { share: 0.1, longest: 5_000 },
    newResourceGrace: 0,
  };
}

const DEFAULT_TIMEOUT = 120_000;

/** Waits for new messages that match, and returns the newest of them. */
export async function newMessage(
  poller: Poller<InboxContents>,
  inboxId: string,
  options: WaitForMessageOptions,
): Promise<MessageSummary> {
  const { timeout = DEFAULT_TIMEOUT, signal, interval } = options;
  let isOld = oldBy(options.since);
  let others = 0;
  const newestIn = ({ messages }: InboxContents): MessageSummary | undefined => {
    isOld ??= oldBy({ inboxId, seen: messages.map(({ id }) => id) });
    const unseen = messages.filter((message) => isOld?.(message) === false);
    const matching = unseen.filter((message) => matches(message, options));
    others = unseen.length - matching.length;
    return matching.sort((a, b) => receivedAt(b) - receivedAt(a))[0];
  };
  const goal: Goal<InboxContents> = {
    judge: (contents) => (newestIn(contents) === undefined ? "pending" : "ready"),
    endsWhenDeleted: false,
    unmet: (limit) =>
      others === 0
        ? `has no new message after ${limit} ms`
        : `has no match among ${others} new message(s) after ${limit} ms`,
    advice: "Check the address and the criteria.",
  };
  const found = newestIn(await poller.waitForGoal(inboxId, goal, { timeout, signal, interval }));
  if (found === undefined) throw new TypeError(`inbox ${inboxId} has lost the message that was found`);
  return found;
}

function oldBy(since: WaitForMessageOptions["since"]): ((message: MessageSummary) => boolean) | undefined {
  if (since === undefined) return undefined;
  if (typeof since === "string" || since instanceof Date) {
    const from = new Date(since).getTime();
    if (Number.isNaN(from)) throw new TypeError("waitForMessage: `since` is not a date.");
    // A message without a time counts as old: an old code must never pass for a new one.
    return (message) => !(receivedAt(message) >= from);
  }
  const seen = new Set(since.seen);
  return ({ id }) => seen.has(id);
}

function receivedAt({ receivedAt: time }: MessageSummary): number {
  return time === undefined ? Number.NaN : Date.parse(time);
}

function matches(
  { sender, subject }: MessageSummary,
  { from, subject: wanted }: WaitForMessageOptions,
): boolean {
  return fits(sender, from) && fits(subject, wanted);
}

function fits(text: string | undefined, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  if (text === undefined) return false;
  if (typeof wanted === "string") return text.toLowerCase().includes(wanted.toLowerCase());
  // A pattern with `g` or `y` remembers its last match and would skip messages.
  return new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, "")).test(text);
}
