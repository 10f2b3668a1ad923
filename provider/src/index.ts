export type { Adoptable } from "./resource.js";
export { BackupSchedule, type BackupScheduleArgs } from "./resources/backup-schedule.js";
export { Database, type DatabaseArgs } from "./resources/database.js";
export { Inbox, type InboxArgs } from "./resources/inbox.js";
export { Link, type LinkArgs } from "./resources/link.js";
export { VpsAction, type VpsActionArgs, type VpsActionName } from "./resources/vps-action.js";
export { VpsInstance, type VpsInstanceArgs } from "./resources/vps-instance.js";
export { Webhook, type WebhookArgs } from "./resources/webhook.js";
