import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { EventName } from "./catalogue.js";
import { EventVerificationError } from "./core/errors.js";
import { isObject, parsedJson } from "./core/json.js";
import { readerOf } from "./core/reader.js";
import type { Integer, OpenText, ShapeOf } from "./core/shapes.js";
import { keyOf, signatureOf } from "./event-signature.js";

/** A finished backup. Specification: "Backup (as carried in event data)". */
export interface Backup {
  /** The id of the backup: `bk_…`. */
  readonly backupId: string;
  /** The id of the database: `db_…`. */
  readonly databaseId: string;
  /** The name of the database. */
  readonly databaseName: string;
  /** Megabytes. */
  readonly sizeMb: Integer;
  /** How long the backup took, in seconds. */
  readonly durationSeconds: Integer;
  /** When the backup was finished: ISO 8601, UTC. */
  readonly completedAt: string;
  /** Until when the backup can be downloaded: ISO 8601, UTC. */
  readonly downloadUrlExpiresAt: string;
}

const backup = z.object({
  backupId: z.string(),
  databaseId: z.string(),
  databaseName: z.string(),
  sizeMb: z.int(),
  durationSeconds: z.int(),
  completedAt: z.string(),
  downloadUrlExpiresAt: z.string(),
} satisfies ShapeOf<Backup>);

/** What every notification has. */
interface Delivery {
  /** `webhook-id`: the same for each delivery of one event, so that a receiver can recognise a repeated one. */
  readonly id: string;
  /** `webhook-timestamp`: when it was sent. */
  readonly sentAt: Date;
  /** The event's name as the service spells it. */
  readonly event: OpenText<EventName>;
}

/** A database backup finished. */
export interface BackupCompletedEvent extends Delivery {
  /** The kind of the event. */
  readonly type: "database.backup.completed";
  /** The finished backup. */
  readonly data: Backup;
}

/** A database backup failed. The specification does not show its data. */
export interface BackupFailedEvent extends Delivery {
  /** The kind of the event. */
  readonly type: "database.backup.failed";
  /** `data` of the notification, with camelCase names. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A VPS snapshot completed. The specification does not show its data. */
export interface SnapshotCompletedEvent extends Delivery {
  /** The kind of the event. */
  readonly type: "vps.snapshot.completed";
  /** `data` of the notification, with camelCase names. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event that this version of the package does not know; `event` has its name. */
export interface OtherEvent extends Delivery {
  /** The kind of the event. */
  readonly type: "other";
  /** `data` of the notification, with camelCase names. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A verified notification: `switch` on its `type`. Specification: "Events". */
export type CloudServicesEvent =
  | BackupCompletedEvent
  | BackupFailedEvent
  | SnapshotCompletedEvent
  | OtherEvent;

/** How strictly to verify. */
export interface VerifyOptions {
  /** The largest difference between the clocks of sender and receiver, seconds. Default 300. */
  readonly tolerance?: number;
  /** Milliseconds since 1970. Default: now. */
  readonly now?: number;
}

/** `headers` of a `Request`, or of a `node:http` message. */
export type EventHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a notification and returns its event. The signature scheme, Standard Webhooks, is **assumed**: the
 * specification shows none. The part of a secret after `whsec_` is base64; any other secret is used as text.
 *
 * @param rawBody - The body as received: parsed and serialised again, it has another signature.
 * @param secret - The secret of the registration, or several during a rotation.
 * @throws {@link EventVerificationError} when signature, age or body are not valid.
 */
export function verifyEvent(
  rawBody: string | Uint8Array,
  headers: EventHeaders,
  secret: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): CloudServicesEvent {
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw refused("pass the body as it was received, as text or bytes, before anything parses it");
  }
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signature = headerOf(headers, "webhook-signature");
  if (id === undefined || timestamp === undefined || signature === undefined) {
    throw refused("one of the headers webhook-id, webhook-timestamp and webhook-signature is missing");
  }
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (Number.isNaN(seconds)) throw refused("webhook-timestamp is not a Unix time");

  const body = typeof rawBody === "string" ? Buffer.from(rawBody) : rawBody;
  const keys = [secret].flat().map(keyOf);
  if (keys.length === 0) throw refused("there is no secret to verify it with");
  const given = signature
    .split(" ")
    .filter((one) => one.startsWith("v1,"))
    .map((one) => Buffer.from(one.slice(3), "base64"));
  // Compares every pair, so that the time does not show which one matches.
  const holds = keys
    .map((key) => signatureOf({ id, timestamp, body }, key))
    .map((expected) => given.filter((one) => equal(one, expected)).length > 0)
    .includes(true);
  if (!holds) throw refused("the signature does not match the secret and the body");

  const off = now / 1000 - seconds;
  if (off > tolerance) throw refused(`it was sent ${Math.round(off)} s ago, so it may be a replay`);
  if (-off > tolerance) throw refused(`it was sent ${Math.round(-off)} s in the future: check the clock`);
  return eventOf(Buffer.from(body).toString("utf8"), { id, sentAt: new Date(seconds * 1000) });
}

/** How to read a notification from a request. */
export interface ReceiveOptions extends VerifyOptions {
  /** The largest body, bytes. Default 1 MiB. */
  readonly maxBytes?: number;
}

/**
 * Reads the body of a web `Request` or a `node:http` message, and returns the verified event.
 *
 * @throws {@link EventVerificationError} when signature, age or body are not valid. Respond with a 400.
 */
export async function receiveEvent(
  request: Request | IncomingMessage,
  secret: string | readonly string[],
  { maxBytes = 1024 * 1024, ...options }: ReceiveOptions = {},
): Promise<CloudServicesEvent> {
  const stream = "socket" in request ? request : request.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    if (!(chunk instanceof Uint8Array))
      throw refused("the request stream has an encoding, so its bytes are lost");
    size += chunk.length;
    if (size > maxBytes) throw refused(`the body is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return verifyEvent(Buffer.concat(chunks), request.headers, secret, options);
}

const readBackup = readerOf(backup);
const readOpen = readerOf(z.object({}));

function eventOf(text: string, delivery: Omit<Delivery, "event">): CloudServicesEvent {
  const body = parsedJson(text);
  if (!isObject(body)) throw refused("the body is not a JSON object");
  const { event, data } = body;
  if (typeof event !== "string") throw refused("the body has no `event`");
  if (event === "database.backup.completed") {
    return { ...delivery, event, type: event, data: readOr(readBackup, data, event) };
  }
  const open = { ...readOr(readOpen, data ?? {}, event) };
  if (event === "database.backup.failed" || event === "vps.snapshot.completed") {
    return { ...delivery, event, type: event, data: open };
  }
  return { ...delivery, event, type: "other", data: open };
}

function readOr<T>(read: ReturnType<typeof readerOf<z.ZodType<T>>>, data: unknown, event: string): T {
  const result = read(data);
  if ("value" in result) return result.value;
  const wrong = result.issues.map(({ path, expected, received }) =>
    received === "nothing" ? `${path} is missing` : `${path} is ${received}, not ${expected}`,
  );
  throw refused(`its data does not match ${event}: ${wrong.join(", ")}`);
}

function equal(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function headerOf(headers: EventHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

function refused(why: string): EventVerificationError {
  return new EventVerificationError(`The notification was rejected: ${why}.`);
}
