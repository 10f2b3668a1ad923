import type { Scenario } from "./evidence/evidence.js";
import type { Fields } from "./evidence/kinds.js";
import type { Declared } from "./evidence/stack.js";
import { declare, outputOf } from "./program.js";

/** Secrets in the programs, which must not leak. */
export const canaries = {
  passcode: "canary-passcode-7Qx2",
  userData: "#!/bin/sh\necho canary-user-data-9Lw4",
  signing: "canary-signing-secret-3Kd8",
};

/** The account's key; the part after `sandbox_` is the tenant. */
export const TENANT = "canaryKey5Rt1";
export const KEY = `sandbox_${TENANT}`;
/** The same account's key after a rotation; the proxy accepts it. */
export const ROTATED_KEY = "sandbox_canaryRotated8Bn6";
/** Another account's key. */
export const OTHER_KEY = "sandbox_another";

const region = "eu-central-1";

/** A resource under test, with its changes. */
export interface Subject {
  readonly name: string;
  readonly declared: Declared;
  /** What it depends on. */
  readonly needs: readonly Declared[];
  /** Inputs that an update changes in place. Absent: every change replaces. */
  readonly updated?: Fields;
  readonly replaced?: Fields;
  /** How another client creates the same resource, with wire names; for `adopt`. */
  readonly seed?: {
    readonly kind: "Link" | "Database" | "VpsInstance" | "Inbox" | "Webhook";
    readonly fields: Fields;
  };
  /** The operations that the mode `documented` supports. */
  readonly documented: readonly Scenario["operation"][];
}

const database = declare("Database", "orders", {
  engine: "postgresql",
  version: "15",
  plan: "db-starter-1",
  region,
});
const server = declare("VpsInstance", "web", {
  plan: "vps-micro-1",
  region,
  image: "debian-12",
  userData: canaries.userData,
  allowStopping: true,
});
export const named = (declared: Declared, inputs: Fields): Declared => ({
  ...declared,
  inputs: { ...declared.inputs, ...inputs },
});

const stable: readonly Scenario["operation"][] = [
  "create",
  "same",
  "refresh",
  "replace",
  "rename",
  "destroy",
];

export const subjects: readonly Subject[] = [
  {
    name: "link",
    declared: declare("Link", "home", {
      url: "https://example.com/home",
      title: "Home",
      passcode: canaries.passcode,
    }),
    needs: [],
    updated: { url: "https://example.com/new", title: "New" },
    replaced: { domain: "go.example.com" },
    seed: {
      kind: "Link",
      fields: {
        url: "https://example.com/home",
        slug: "adopted",
        title: "Home",
        passcode: canaries.passcode,
      },
    },
    documented: [...stable, "adopt"],
  },
  {
    name: "link-slug",
    declared: declare("Link", "docs", { url: "https://example.com/docs", slug: "docs-page" }),
    needs: [],
    updated: { url: "https://example.com/docs/new" },
    replaced: { slug: "docs-page-2" },
    seed: { kind: "Link", fields: { url: "https://example.com/docs", slug: "docs-page" } },
    documented: stable,
  },
  {
    name: "database",
    declared: database,
    needs: [],
    updated: { version: "16", plan: "db-standard-2" },
    replaced: { region: "us-east-1" },
    seed: {
      kind: "Database",
      fields: { name: "kept", engine: "postgresql", version: "15", plan: "db-starter-1", region },
    },
    documented: stable,
  },
  {
    name: "database-named",
    declared: named(database, { name: "orders-main" }),
    needs: [],
    updated: { name: "orders-second", enableConnectionPool: true },
    replaced: { name: "orders-other", region: "us-east-1" },
    seed: {
      kind: "Database",
      fields: { name: "orders-main", engine: "postgresql", version: "15", plan: "db-starter-1", region },
    },
    documented: stable,
  },
  {
    name: "schedule",
    declared: declare("BackupSchedule", "nightly", {
      databaseId: outputOf("orders"),
      frequency: "daily",
      hourUtc: 3,
      retentionDays: 7,
    }),
    needs: [database, declare("Database", "second", database.inputs)],
    updated: { hourUtc: 5 },
    replaced: { databaseId: outputOf("second") },
    documented: [...stable, "update"],
  },
  {
    name: "server",
    declared: server,
    needs: [],
    updated: { plan: "vps-standard-2", backupsEnabled: true },
    replaced: { image: "alpine-3.20" },
    seed: {
      kind: "VpsInstance",
      fields: { name: "kept", plan: "vps-micro-1", region, image: "debian-12" },
    },
    documented: stable,
  },
  {
    name: "server-named",
    declared: named(server, { name: "web-main" }),
    needs: [],
    updated: { powerState: "stopped" },
    replaced: { name: "web-other", region: "us-east-1" },
    seed: {
      kind: "VpsInstance",
      fields: { name: "web-main", plan: "vps-micro-1", region, image: "debian-12" },
    },
    documented: [...stable, "update"],
  },
  {
    name: "inbox",
    declared: declare("Inbox", "signup", { ttlMinutes: 90, webhookUrl: "https://example.com/mail" }),
    needs: [],
    updated: { renewExpired: true },
    replaced: { ttlMinutes: 120 },
    seed: {
      kind: "Inbox",
      fields: { prefix: "kept", ttl_minutes: 90, webhook_url: "https://example.com/mail" },
    },
    documented: stable,
  },
  {
    name: "inbox-prefix",
    declared: declare("Inbox", "signup", { prefix: "signup", ttlMinutes: 90 }),
    needs: [],
    replaced: { prefix: "signin" },
    documented: stable,
  },
  {
    name: "webhook",
    declared: declare("Webhook", "backups", {
      url: "https://hooks.example.com/backups",
      events: ["database.backup.completed"],
      secret: canaries.signing,
    }),
    needs: [],
    updated: { events: ["database.backup.completed", "database.backup.failed"] },
    seed: {
      kind: "Webhook",
      fields: {
        url: "https://hooks.example.com/backups",
        events: ["database.backup.completed"],
        secret: "a-former-secret",
      },
    },
    documented: ["create", "same", "refresh", "rename", "destroy"],
  },
  {
    name: "action",
    declared: declare("VpsAction", "reboot", {
      instanceId: outputOf("web"),
      action: "reboot",
      triggers: ["1"],
    }),
    needs: [server],
    replaced: { triggers: ["2"] },
    documented: stable,
  },
];
