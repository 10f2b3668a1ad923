import type { handlers } from "../dynamic.js";
import type { Properties } from "../kernel/definition/properties.js";

/*
 * One example of every kind, for tests that call all hooks.
 */

export const SECRETS = {
  key: "sk_live_of_the_fuzzed_stack",
  passcode: "open-sesame-4711",
  signing: "whsec_0123456789",
  script: "echo hush-hush-hush",
  password: "s3cr3t-db-password",
};

/** One resource of a kind, with the service's response. */
export interface Case {
  readonly inputs: Properties;
  /** The path of its collection. */
  readonly collection: string;
  readonly response: Properties;
  /** The members that differ while it is not ready. */
  readonly pending?: Properties;
  /** The change that an update makes. */
  readonly change: Properties;
  /** The name of the id in the response; without it, the id is that of its parent. */
  readonly idMember?: string;
  readonly id: string;
  /** The values that no message may contain. */
  readonly secrets?: readonly string[];
}

const server = { plan: "vps-micro-1", region: "eu", image: "debian-12" };
export type KindName = keyof typeof handlers;

export const CASES: Readonly<Record<KindName, Case>> = {
  Link: {
    inputs: { url: "https://example.com/a", passcode: SECRETS.passcode },
    collection: "/v1/shortener/links",
    response: {
      id: "lnk_1",
      short_url: "https://s.test/abc",
      destination_url: "https://example.com/a",
      domain: "s.test",
      slug: "abc",
      qr_code_url: "https://s.test/abc.svg",
      clicks_count: 0,
      created_at: "2026-01-01T00:00:00Z",
    },
    change: { url: "https://example.com/b" },
    idMember: "id",
    id: "lnk_1",
    secrets: [SECRETS.passcode],
  },
  Database: {
    inputs: { name: "orders", engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu" },
    collection: "/v1/databases",
    response: {
      id: "db_1",
      name: "orders",
      engine: "postgresql",
      version: "16.4",
      status: "ready",
      status_reason: "none",
      host: "db.test",
      port: 5432,
      database: "app",
      username: "app",
      connection_uri: `postgresql://app:${SECRETS.password}@db.test:5432/app`,
      pool_uri: `postgresql://app:${SECRETS.password}@pool.test:6432/app`,
      ssl_required: true,
    },
    pending: { status: "provisioning" },
    change: { name: "orders-2" },
    idMember: "id",
    id: "db_1",
    secrets: [SECRETS.password],
  },
  BackupSchedule: {
    inputs: { databaseId: "db_1", frequency: "daily", hourUtc: 3, retentionDays: 7 },
    collection: "/v1/databases/db_1/backup-schedule",
    response: { frequency: "daily", hour_utc: 3, retention_days: 7, notify_on_complete: false },
    change: { hourUtc: 4 },
    id: "db_1",
  },
  VpsInstance: {
    inputs: { name: "web", ...server, userData: SECRETS.script },
    collection: "/v1/vps/instances",
    response: {
      id: "vps_1",
      name: "web",
      status: "running",
      status_reason: "none",
      ipv4: "192.0.2.1",
      ipv6: "2001:db8::1",
      region: "eu",
      plan: "vps-micro-1",
      specs: { vcpus: 1, ram_mb: 1024, disk_gb: 25 },
      created_at: "2026-01-01T00:00:00Z",
    },
    pending: { status: "provisioning" },
    change: { name: "web-2" },
    idMember: "id",
    id: "vps_1",
    secrets: [SECRETS.script],
  },
  Inbox: {
    inputs: { prefix: "signup" },
    collection: "/v1/tempmail/inboxes",
    response: {
      inbox_id: "inb_1",
      email_address: "signup-1@mail.test",
      TTL: 60,
      ttl_minutes: 60,
      expires_at: "2099-01-01T00:00:00Z",
      message_count: 0,
      created_at: "2026-01-01T00:00:00Z",
    },
    change: { renewExpired: true },
    idMember: "inbox_id",
    id: "inb_1",
  },
  Webhook: {
    inputs: { url: "https://example.com/hook", events: ["vps.snapshot.completed"], secret: SECRETS.signing },
    collection: "/v1/webhooks",
    response: {
      id: "wh_1",
      url: "https://example.com/hook",
      events: ["vps.snapshot.completed"],
      created_at: "2026-01-01T00:00:00Z",
    },
    change: { url: "https://example.com/hook-2" },
    idMember: "id",
    id: "wh_1",
    secrets: [SECRETS.signing],
  },
  VpsAction: {
    inputs: { instanceId: "vps_1", action: "reboot" },
    collection: "/v1/vps/instances/vps_1/actions",
    response: { id: "vps_1", status: "running", status_reason: "none", ipv4: "192.0.2.1" },
    pending: { status: "rebooting" },
    change: { customTimeouts: { create: "70ms" } },
    id: "vps_1",
  },
};
export const KINDS = Object.keys(CASES).filter((name): name is KindName => name in CASES);
