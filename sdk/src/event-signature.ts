import { createHmac, randomUUID } from "node:crypto";
import { EventVerificationError } from "./core/errors.js";

/*
 * The specification shows neither a signature header nor a scheme ("Events", Not shown items). This package assumes
 * Standard Webhooks, https://www.standardwebhooks.com, with the secret of the registration.
 */

/**
 * The headers of a signed notification, by the assumed scheme, Standard Webhooks. They can be passed to `fetch` and to
 * `verifyEvent`.
 */
export type EventSignatureHeaders = {
  /** The id of the event, the same for each delivery. */
  readonly "webhook-id": string;
  /** When it was sent: Unix seconds. */
  readonly "webhook-timestamp": string;
  /** The version of the scheme and the signature in base64: `v1,…`. */
  readonly "webhook-signature": string;
};

/** How to sign a notification in a test. */
export interface SignTestEventOptions {
  /** The id of the event. Default: a new one. */
  readonly id?: string | undefined;
  /** When the notification is sent. Default: now. An old time tests the rejection of replays. */
  readonly sentAt?: Date | undefined;
}

/**
 * Returns the headers that the service would send with a notification, for tests of a receiver. `verifyEvent` and
 * `receiveEvent` accept them. Sends nothing.
 *
 * @param rawBody - The exact body that the test sends: JSON with `event` and `data` (specification: "Events").
 * @param secret - The secret of the registration.
 * @throws {@link EventVerificationError} when the secret is empty.
 * @example
 * ```ts
 * const body = JSON.stringify({ event: "vps.snapshot.completed", data: {} });
 * const headers = signTestEvent(body, secret);
 * await fetch("http://127.0.0.1:8080/events", { method: "POST", body, headers });
 * ```
 */
export function signTestEvent(
  rawBody: string | Uint8Array,
  secret: string,
  { id = `msg_${randomUUID()}`, sentAt = new Date() }: SignTestEventOptions = {},
): EventSignatureHeaders {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signature = signatureOf({ id, timestamp, body: rawBody }, keyOf(secret)).toString("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

/** What a signature covers. */
interface Signed {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

export function signatureOf({ id, timestamp, body }: Signed, key: Buffer): Buffer {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}

/** Returns the signing key of a secret. The part after `whsec_` is base64; any other secret is used as text. */
export function keyOf(secret: string): Buffer {
  const key = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
  if (key.length === 0) throw new EventVerificationError("The signing secret of the event is empty.");
  return key;
}
