import type { Definition } from "../kernel/definition/kind.js";
import { backupSchedule } from "./backup-schedule.js";
import { database } from "./database.js";
import { inbox } from "./inbox.js";
import { link } from "./link.js";
import { vpsAction } from "./vps-action.js";
import { vpsInstance } from "./vps-instance.js";
import { webhook } from "./webhook.js";

/**
 * Returns what `make` returns for each kind, by name. This is the list of the kinds. States contain their names: a kind
 * may be added, never renamed or removed.
 */
export const ofEachKind = <T>(
  make: <I extends object, O extends object, R extends object>(kind: Definition<I, O, R>) => T,
) => ({
  BackupSchedule: make(backupSchedule),
  Database: make(database),
  Inbox: make(inbox),
  Link: make(link),
  VpsAction: make(vpsAction),
  VpsInstance: make(vpsInstance),
  Webhook: make(webhook),
});
