import { z } from "zod";

/**
 * The moments of a session: the connection, AUTH, MAIL FROM, RCPT TO, the end of DATA, and, as `stored`, after the
 * mail was stored, where only the response is wrong or lost.
 */
export const smtpMoments = ["connect", "auth", "from", "to", "data", "stored"] as const;
export type SmtpMoment = (typeof smtpMoments)[number];

/** What a fault does in a session. */
export const smtpFaultEffect = z.strictObject({
  at: z.enum(smtpMoments),
  /** `refuse` (default) responds with an error, `drop` closes the connection, `slow` waits first. */
  do: z.enum(["refuse", "drop", "slow"]).optional(),
  /** The reply code of `refuse`. Default: 451, which asks the sender to retry. */
  code: z.int().min(400).max(599).optional(),
  /** Real milliseconds of `slow`. Default: 1,000. */
  ms: z.int().min(0).max(600_000).optional(),
});
export type SmtpFaultEffect = z.infer<typeof smtpFaultEffect>;

/** Returns the fault that applies to a moment, for one of the recipients known by then. */
export type FindSmtpFault = (at: SmtpMoment, recipients: readonly string[]) => SmtpFaultEffect | undefined;
