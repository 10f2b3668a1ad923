import type {
  ActiveFault,
  BackupRecord,
  DeliveryRecord,
  JournalEntry,
  LiveResource,
} from "cloudservices-sandbox";

export type { ActiveFault, BackupRecord, DeliveryRecord, JournalEntry, LiveResource };

/** The fields of a stored mail that the dashboard shows. */
export interface Message {
  readonly id: string;
  readonly sender: string;
  readonly subject: string;
  readonly text_body: string;
  readonly otp_code?: string;
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What changes all the time. */
export interface Live {
  /** Another text after each change of what the dashboard shows, and after a restart. */
  readonly version: string;
  /** Virtual time, ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
}

/** Which parts are real and which are simulated. */
export interface About {
  readonly parts: Readonly<Record<string, string>>;
}

/** A sandbox that does not respond for this long is treated as stopped. */
const TIMEOUT_MS = 30_000;

export async function read<T>(path: string): Promise<T> {
  const response = await fetch(`/_sandbox/${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Sends a change; returns the error, if any. */
export async function act(method: string, path: string, body?: unknown): Promise<string | undefined> {
  const response = await fetch(`/_sandbox/${path}`, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  return response.ok ? undefined : await response.text();
}
