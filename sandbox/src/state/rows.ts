import { z } from "zod";

/**
 * The format of rows on disk. Raise it when a field is added or changes its meaning, so that an older sandbox rejects
 * the data instead of losing it.
 */
export const FORMAT = 2;

/**
 * All state. Fields in snake_case are the wire's; others are internal. The schemas also validate data from disk and
 * from control.
 */
const base = {
  id: z.string(),
  tenant: z.string(),
  /** Position in the tenant's list of this kind, oldest first. */
  seq: z.int(),
  /** Virtual time of the next transition, expiry or attempt. */
  dueAt: z.number().optional(),
};

/** The next status: reached at `dueAt`, after `reads` more reads, or never. */
const pending = z.strictObject({
  to: z.string(),
  reads: z.int().optional(),
  reason: z.string().optional(),
});
export type Pending = z.infer<typeof pending>;

const transition = {
  status: z.string(),
  status_reason: z.string().optional(),
  pending: pending.optional(),
};

const credentials = {
  database: z.string(),
  username: z.string(),
  password: z.string(),
};

const rowSchemas = {
  links: z.strictObject({
    ...base,
    destination_url: z.string(),
    domain: z.string(),
    slug: z.string(),
    title: z.string().optional(),
    expires_at: z.string().optional(),
    passcode: z.string().optional(),
    utm_source: z.string().optional(),
    clicks_count: z.int(),
    created_at: z.string(),
  }),
  clicks: z.strictObject({
    ...base,
    link: z.string(),
    at: z.number(),
    visitor: z.string(),
    source: z.string(),
    device: z.enum(["mobile", "desktop", "tablet"]),
    /** Present where the country of the visitor's address is known. */
    country: z.strictObject({ code: z.string(), name: z.string() }).optional(),
  }),
  databases: z.strictObject({
    ...base,
    ...transition,
    name: z.string(),
    engine: z.string(),
    version: z.string(),
    plan: z.string(),
    region: z.string(),
    enable_connection_pool: z.boolean(),
    vpc_id: z.string().optional(),
    credentials: z.strictObject(credentials).optional(),
    created_at: z.string(),
  }),
  schedules: z.strictObject({
    ...base,
    database_id: z.string(),
    frequency: z.string(),
    hour_utc: z.int(),
    retention_days: z.int(),
    notify_on_complete: z.boolean(),
  }),
  backups: z.strictObject({
    ...base,
    /** `running`, `completed` or `failed`. `dueAt` is when a backup runs, and afterwards when it expires. */
    ...transition,
    database_id: z.string(),
    database_name: z.string(),
    /** True for a simulated database, which has no dump. */
    simulated: z.boolean(),
    retention_days: z.int(),
    notify_on_complete: z.boolean(),
    started_at: z.string(),
    ended_at: z.string().optional(),
    /** Size of the dump. */
    bytes: z.int().optional(),
    duration_seconds: z.int().optional(),
  }),
  webhooks: z.strictObject({
    ...base,
    url: z.string(),
    events: z.array(z.string()),
    secret: z.string(),
    created_at: z.string(),
  }),
  vps: z.strictObject({
    ...base,
    ...transition,
    name: z.string(),
    plan: z.string(),
    region: z.string(),
    image: z.string(),
    ssh_keys: z.array(z.string()),
    backups_enabled: z.boolean(),
    /** The snapshot in progress. */
    snapshot: z.string().optional(),
    user_data: z.string().optional(),
    ipv4: z.string(),
    ipv6: z.string(),
    /** A server shows no address until its first run. */
    neverRan: z.boolean(),
    created_at: z.string(),
  }),
  inboxes: z.strictObject({
    ...base,
    email_address: z.string(),
    ttl_minutes: z.int(),
    expires_at: z.string(),
    webhook_url: z.string().optional(),
    message_count: z.int(),
    created_at: z.string(),
  }),
  records: z.strictObject({
    ...base,
    name: z.string(),
    type: z.string(),
    data: z.string(),
    ttl: z.int(),
  }),
  deliveries: z.strictObject({
    ...base,
    /** The id of the webhook or the inbox. */
    for: z.string(),
    url: z.string(),
    event: z.string(),
    body: z.string(),
    status: z.enum(["pending", "delivered", "failed"]),
    attempts: z.array(
      z.strictObject({ at: z.string(), status_code: z.int().optional(), error: z.string().optional() }),
    ),
  }),
  messages: z.strictObject({
    ...base,
    inbox: z.string(),
    sender: z.string(),
    recipient: z.string(),
    subject: z.string(),
    snippet: z.string(),
    html_body: z.string(),
    text_body: z.string(),
    parsed_links: z.array(z.string()),
    otp_code: z.string().optional(),
    headers: z.record(z.string(), z.string()),
    has_attachments: z.boolean(),
    received_at: z.string(),
    /** The mail as it was received, in Latin-1. Absent in data of format 1. */
    raw: z.string().optional(),
  }),
} as const;

export type TableName = keyof typeof rowSchemas;
export type Rows = { [T in TableName]: z.infer<(typeof rowSchemas)[T]> };
export type Credentials = NonNullable<Rows["databases"]["credentials"]>;

const schemas: { readonly [T in TableName]: z.ZodType<Rows[T]> } = rowSchemas;

export const tableNames: readonly TableName[] = Object.keys(rowSchemas).filter(isTableName);

export function isTableName(name: string): name is TableName {
  return Object.hasOwn(rowSchemas, name);
}

/** Returns whether rows of the table have a field. */
export function hasField(table: TableName, field: string): boolean {
  return Object.hasOwn(rowSchemas[table].shape, field);
}

/** Describes the shape of all rows; a test compares it with the one of `FORMAT`. */
export function rowShapes(): unknown {
  return z.toJSONSchema(z.strictObject(rowSchemas));
}

/** Validates a row from disk or from control. */
export function parseRow<T extends TableName>(table: T, raw: unknown): Rows[T] {
  return schemas[table].parse(raw);
}
