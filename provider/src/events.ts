import type { EventName } from "cloudservices-sdk";

/**
 * The events to which a Webhook may subscribe. Specification: "Events".
 *
 * @example
 * ```ts
 * new Webhook("hook", { url, secret, events: [events.databaseBackupFailed] });
 * ```
 */
export const events = {
  databaseBackupCompleted: "database.backup.completed",
  databaseBackupFailed: "database.backup.failed",
  vpsSnapshotCompleted: "vps.snapshot.completed",
} as const satisfies Readonly<Record<string, EventName>>;
