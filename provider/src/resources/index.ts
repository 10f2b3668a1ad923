/*
 * The list of the kinds. States contain their names: a kind may be added, never renamed or removed.
 */

export { BackupSchedule, type BackupScheduleArgs } from "./backup-schedule.js";
export { Database, type DatabaseArgs } from "./database.js";
export { Inbox, type InboxArgs } from "./inbox.js";
export { Link, type LinkArgs } from "./link.js";
export { VpsAction, type VpsActionArgs, type VpsActionName } from "./vps-action.js";
export { VpsInstance, type VpsInstanceArgs } from "./vps-instance.js";
export { Webhook, type WebhookArgs } from "./webhook.js";
