export type Fields = Readonly<Record<string, unknown>>;

export const kinds = [
  "Link",
  "Database",
  "BackupSchedule",
  "VpsInstance",
  "Inbox",
  "Webhook",
  "VpsAction",
] as const;
/** The kinds of resources, as the provider and the service's control view name them; an action has no resource. */
export type KindName = (typeof kinds)[number];

export type ApiMode = "conventional" | "documented";
