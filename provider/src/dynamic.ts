import { type Handler, handlerOf } from "./kernel/dynamic.js";
import { backupSchedule } from "./resources/backup-schedule.js";
import { database } from "./resources/database.js";
import { inbox } from "./resources/inbox.js";
import { link } from "./resources/link.js";
import { vpsAction } from "./resources/vps-action.js";
import { vpsInstance } from "./resources/vps-instance.js";
import { webhook } from "./resources/webhook.js";

/**
 * The hooks by kind, as the text in every state asks for them. This export is permanent: a kind may be added, never
 * renamed or removed.
 */
export const handlers = {
  Link: handlerOf(link),
  Database: handlerOf(database),
  BackupSchedule: handlerOf(backupSchedule),
  VpsInstance: handlerOf(vpsInstance),
  Inbox: handlerOf(inbox),
  Webhook: handlerOf(webhook),
  VpsAction: handlerOf(vpsAction),
} satisfies Readonly<Record<string, Handler>>;
