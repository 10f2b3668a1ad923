import type {
  BackupSchedule,
  Database,
  Inbox,
  Link,
  VpsActionResponse,
  VpsInstance,
  Webhook,
} from "cloudservices-sdk";
import { type Properties, stringOf } from "../kernel/definition/properties.js";
import { vpsPlan } from "../resources/vps-plan.js";

/*
 * What the service returns for a resource that has just become ready. The addresses are reserved for documentation, and
 * each value is the same in every run, so that tests can compare snapshots.
 */

/** What distinguishes a resource from others of its kind. */
export interface Seed {
  readonly id: string;
  /** From 1 to 254. */
  readonly number: number;
}

const SHORT_DOMAIN = "go.example.com";
const MAIL_DOMAIN = "mail.example.com";
const API = "https://api.example.com/v1";
const CREATED_AT = "2026-01-01T00:00:00.000Z";
const DEFAULT_TTL_MINUTES = 60;

const numberOf = (values: Properties, key: string): number | undefined => {
  const value = values[key];
  return typeof value === "number" ? value : undefined;
};

export function linkResponse(inputs: Properties, { id, number }: Seed): Link {
  const domain = stringOf(inputs, "domain") ?? SHORT_DOMAIN;
  const slug = stringOf(inputs, "slug") ?? `link${number}`;
  return {
    id,
    shortUrl: `https://${domain}/${slug}`,
    destinationUrl: stringOf(inputs, "url") ?? "https://example.com/",
    domain,
    slug,
    qrCodeUrl: `${API}/shortener/links/${id}/qr.svg`,
    clicksCount: 0,
    createdAt: CREATED_AT,
  };
}

export function databaseResponse(inputs: Properties, { id, number }: Seed): Database {
  const address = (host: string, port: number) =>
    `${stringOf(inputs, "engine") ?? "postgresql"}://app:password-${number}@${host}:${port}/app`;
  const host = `db-${number}.example.com`;
  const pool = inputs["enableConnectionPool"] === true;
  return {
    id,
    name: stringOf(inputs, "name") ?? `database-${number}`,
    engine: stringOf(inputs, "engine") ?? "postgresql",
    version: stringOf(inputs, "version") ?? "16",
    status: "ready",
    host,
    port: 5432,
    database: "app",
    username: "app",
    connectionUri: address(host, 5432),
    ...(pool ? { poolUri: address(`pool-${number}.example.com`, 6432) } : {}),
    sslRequired: true,
  };
}

export const backupScheduleResponse = (
  inputs: Properties,
  { id }: Seed,
): BackupSchedule & { readonly databaseId: string } => ({
  databaseId: stringOf(inputs, "databaseId") ?? id,
  frequency: stringOf(inputs, "frequency") ?? "daily",
  hourUtc: numberOf(inputs, "hourUtc") ?? 0,
  retentionDays: numberOf(inputs, "retentionDays") ?? 7,
  notifyOnComplete: inputs["notifyOnComplete"] === true,
});

export function vpsInstanceResponse(inputs: Properties, { id, number }: Seed): VpsInstance {
  const planId = stringOf(inputs, "plan") ?? "vps-micro-1";
  const { vcpus, ramGb, diskGb } = vpsPlan(planId) ?? { vcpus: 1, ramGb: 1, diskGb: 25 };
  return {
    id,
    name: stringOf(inputs, "name") ?? `server-${number}`,
    status: stringOf(inputs, "powerState") ?? "running",
    ipv4: `192.0.2.${number}`,
    ipv6: `2001:db8::${number.toString(16)}`,
    region: stringOf(inputs, "region") ?? "eu-central-1",
    plan: planId,
    specs: { vcpus, ramMb: ramGb * 1024, diskGb },
    createdAt: CREATED_AT,
  };
}

export function inboxResponse(inputs: Properties, { id, number }: Seed): Inbox {
  const ttlMinutes = numberOf(inputs, "ttlMinutes") ?? DEFAULT_TTL_MINUTES;
  const localPart = stringOf(inputs, "prefix") ?? `inbox${number}`;
  return {
    inboxId: id,
    emailAddress: `${localPart}@${stringOf(inputs, "domain") ?? MAIL_DOMAIN}`,
    ttlMinutes,
    expiresAt: new Date(Date.parse(CREATED_AT) + ttlMinutes * 60_000).toISOString(),
    messageCount: 0,
    createdAt: CREATED_AT,
  };
}

export function webhookResponse(inputs: Properties, { id }: Seed): Webhook {
  const { events } = inputs;
  return {
    id,
    url: stringOf(inputs, "url") ?? "https://example.com/",
    events: Array.isArray(events) ? events.map(String) : [],
    createdAt: CREATED_AT,
  };
}

export const vpsActionResponse = (inputs: Properties, seed: Seed): VpsActionResponse => ({
  ...vpsInstanceResponse({}, seed),
  id: stringOf(inputs, "instanceId") ?? seed.id,
});
