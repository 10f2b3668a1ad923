import { z } from "zod";
import { faultSchema } from "../http/faults.js";
import type { JournalEntry } from "../http/journal.js";
import type { BackupRecord } from "./backups.js";
import type { LiveResource } from "./resources.js";
import type { DeliveryRecord } from "./sandbox-control.js";

/* The responses of control, for its OpenAPI document. */

const fields = z.record(z.string(), z.unknown());

export const resource: z.ZodType<LiveResource> = z.strictObject({
  kind: z.enum(["Link", "Database", "BackupSchedule", "VpsInstance", "Inbox", "Webhook"]),
  id: z.string(),
  tenant: z.string(),
  fields,
});

export const journalEntry: z.ZodType<JournalEntry> = z.strictObject({
  requestId: z.string(),
  time: z.iso.datetime(),
  method: z.string(),
  path: z.string(),
  isOutside: z.literal(true).exactOptional(),
  query: z.record(z.string(), z.string()),
  tenant: z.string().exactOptional(),
  operation: z.string().exactOptional(),
  status: z.int().exactOptional(),
  fault: z.string().exactOptional(),
  durationMs: z.int(),
  requestBody: z.unknown().exactOptional(),
  responseBody: z.unknown().exactOptional(),
});

export const backup: z.ZodType<BackupRecord> = z.strictObject({
  backup_id: z.string(),
  tenant: z.string(),
  database_id: z.string(),
  database_name: z.string(),
  status: z.enum(["running", "completed", "failed"]),
  reason: z.string().optional(),
  simulated: z.boolean(),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().optional(),
  expires_at: z.iso.datetime().optional(),
  bytes: z.int().optional(),
  dump: z.string().optional(),
});

export const delivery: z.ZodType<DeliveryRecord> = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  for: z.string(),
  url: z.string(),
  event: z.string(),
  body: z.string(),
  status: z.enum(["pending", "delivered", "failed"]),
  attempts: z.array(
    z.strictObject({
      at: z.iso.datetime(),
      status_code: z.int().optional(),
      error: z.string().optional(),
    }),
  ),
});

export const activeFault = z.strictObject({ id: z.string(), fault: faultSchema, struck: z.int() });

export const clock = z.strictObject({ now: z.iso.datetime(), frozen: z.boolean() });

export const errorCode = z.strictObject({ status: z.int(), meaning: z.string() });

/** An attachment; `content` is Base64. */
export const attachment = z.strictObject({
  filename: z.string().exactOptional(),
  content_type: z.string(),
  content_id: z.string().exactOptional(),
  bytes: z.int(),
  content: z.string(),
});

/** A stored mail. */
export const message = z.looseObject({
  id: z.string(),
  sender: z.string(),
  subject: z.string(),
  otp_code: z.string().exactOptional(),
  received_at: z.iso.datetime(),
  headers: z.record(z.string(), z.string()),
});
