import type { Fields, KindName } from "../evidence/kinds.js";
import type { Live } from "../evidence/service.js";
import { member } from "./facts.js";

/*
 * The fields of each kind, with their names in programs, in the state and at the service. They are read from the
 * specification independently of the provider, so that an error in the provider's table shows.
 */

type Compare = (held: unknown, live: unknown, fields: Fields) => boolean;

export interface Field {
  /** The name in a program and in the state. */
  readonly name: string;
  /** The path of members at the service. */
  readonly wire: readonly string[];
  /** An input of the program. */
  readonly isInput: boolean;
  readonly agrees: Compare;
  /** Not present on every resource. */
  readonly isOptional: boolean;
  /** The name in a response. */
  readonly shownAs: string;
}

const exactly: Compare = (held, live) => JSON.stringify(held) === JSON.stringify(live);

const sameInstant: Compare = (held, live) => Date.parse(String(held)) === Date.parse(String(live));

/** Without `URL.canParse`, which in Node.js 20 and 22 refuses some addresses after many calls. */
function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const sameUrl: Compare = (held, live) => {
  const [a, b] = [String(held), String(live)];
  const url = parsedUrl(a);
  return a === b || (url !== undefined && url.href === parsedUrl(b)?.href);
};

const sameText: Compare = (held, live) => String(held).toLowerCase() === String(live).toLowerCase();

const members = (value: unknown): string =>
  JSON.stringify([...new Set(Array.isArray(value) ? value.map(String) : [])].sort());

const sameMembers: Compare = (held, live) => members(held) === members(live);

/** A program requests 16, and the service may return 16.4. */
const sameVersion: Compare = (held, live) =>
  `${String(live)}.`.startsWith(`${String(held)}.`) || `${String(held)}.`.startsWith(`${String(live)}.`);

const startsWith: Compare = (held, live) => sameText(held, String(live).slice(0, String(held).length), {});

const endsWithDomain: Compare = (held, live) => sameText(held, String(live).split("@").at(-1), {});

/** Whether the user and password in a connection URI are the service's. */
const isAddressOf: Compare = (held, live) => {
  const url = parsedUrl(String(held));
  if (url === undefined) return false;
  const { username, password } = url;
  return (
    decoded(username) === String(member(live, "username")) &&
    decoded(password) === String(member(live, "password"))
  );
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Specification: VPS instance, "Plans". */
const SPECS: Readonly<Record<string, readonly [vcpus: number, ramGb: number, diskGb: number]>> = {
  "vps-micro-1": [1, 1, 25],
  "vps-standard-2": [2, 4, 80],
  "vps-standard-4": [4, 8, 160],
  "vps-memory-8": [4, 16, 240],
  "vps-compute-8": [8, 16, 320],
  "vps-enterprise-16": [16, 32, 640],
};

const spec =
  (at: 0 | 1 | 2): Compare =>
  (held, plan) => {
    const known = SPECS[String(plan)]?.[at];
    // The service may count a GB of memory as 1000 or 1024 MB.
    return known === undefined || held === known || held === known * 1024 || held === known * 1000;
  };

const input = (name: string, wire: string, agrees = exactly, isOptional = true): Field => ({
  name,
  wire: wire.split("."),
  isInput: true,
  agrees,
  isOptional,
  shownAs: shownAs(wire),
});

/** The URI contains the user and the password. */
const shownAs = (wire: string): string =>
  wire === "credentials" || wire === "credentials.password"
    ? "connection_uri"
    : wire.replace("credentials.", "");

const output = (name: string, wire: string, agrees = exactly, isOptional = false): Field => ({
  ...input(name, wire, agrees, isOptional),
  isInput: false,
});

const tables: Readonly<Record<KindName, readonly Field[]>> = {
  Link: [
    input("url", "destination_url", sameUrl),
    input("domain", "domain", sameText),
    input("slug", "slug"),
    input("title", "title"),
    input("expiresAt", "expires_at", sameInstant),
    input("passcode", "passcode"),
    input("utmSource", "utm_source"),
    output("createdAt", "created_at", sameInstant),
    output("shortUrl", "slug", (held, slug) => String(held).endsWith(`/${String(slug)}`)),
  ],
  Database: [
    input("name", "name"),
    input("engine", "engine"),
    input("version", "version", sameVersion),
    input("plan", "plan"),
    input("region", "region"),
    input("enableConnectionPool", "enable_connection_pool"),
    input("vpcId", "vpc_id"),
    output("status", "status"),
    output("database", "credentials.database"),
    output("username", "credentials.username"),
    output("password", "credentials.password"),
    output("connectionUri", "credentials", isAddressOf),
    output("poolUri", "credentials", isAddressOf, true),
  ],
  BackupSchedule: [
    input("databaseId", "database_id"),
    input("frequency", "frequency"),
    input("hourUtc", "hour_utc"),
    input("retentionDays", "retention_days"),
    input("notifyOnComplete", "notify_on_complete"),
  ],
  VpsInstance: [
    input("name", "name"),
    input("plan", "plan"),
    input("region", "region"),
    input("image", "image"),
    input("sshKeys", "ssh_keys", sameMembers),
    input("backupsEnabled", "backups_enabled"),
    input("userData", "user_data"),
    input("powerState", "status"),
    output("status", "status"),
    output("ipv4", "ipv4"),
    output("ipv6", "ipv6"),
    { ...output("vcpus", "plan", spec(0)), shownAs: "specs" },
    { ...output("ramMb", "plan", spec(1)), shownAs: "specs" },
    { ...output("diskGb", "plan", spec(2)), shownAs: "specs" },
    output("createdAt", "created_at", sameInstant),
  ],
  Inbox: [
    input("prefix", "email_address", startsWith),
    input("domain", "email_address", endsWithDomain),
    input("ttlMinutes", "ttl_minutes"),
    input("webhookUrl", "webhook_url", sameUrl),
    output("emailAddress", "email_address"),
    output("expiresAt", "expires_at", sameInstant),
    output("createdAt", "created_at", sameInstant),
  ],
  Webhook: [
    input("url", "url", sameUrl),
    input("events", "events", sameMembers),
    input("secret", "secret"),
    output("createdAt", "created_at", sameInstant, true),
  ],
  VpsAction: [],
};

export const fieldsOf = (kind: KindName): readonly Field[] => tables[kind];

/** Returns the fields that differ from the given values. Absent values are not compared. */
export function differences(live: Live, stateValue: (name: string) => unknown, only?: "inputs"): Field[] {
  return fieldsOf(live.kind).filter(({ name, wire, isInput, agrees }) => {
    if (only === "inputs" && !isInput) return false;
    const held = stateValue(name);
    if (held === undefined || held === null) return false;
    const there = member(live.fields, ...wire);
    const isNothing = there === undefined && Array.isArray(held) && held.length === 0;
    return !isNothing && !agrees(held, there, live.fields);
  });
}

/** Returns the outputs without a value that the specification shows on every resource of the kind. */
export function unknownOutputs(live: Live, stateValue: (name: string) => unknown): Field[] {
  return fieldsOf(live.kind)
    .filter(({ isInput, isOptional }) => !isInput && !isOptional)
    .filter(({ name, wire }) => stateValue(name) === undefined && member(live.fields, ...wire) !== undefined);
}

/** Returns the fields that an owner sets, with wire names. */
export function settingsIn(live: { readonly kind: KindName; readonly fields: Fields }): Fields {
  const names = fieldsOf(live.kind)
    .filter(({ isInput, name }) => isInput && name !== "powerState")
    .map(({ wire }) => wire[0] ?? "");
  return Object.fromEntries([...new Set(names)].map((name) => [name, live.fields[name]]));
}

/** Whether the service shows that a resource is ready. */
export function isReady(kind: KindName, shown: unknown): boolean {
  const status = member(shown, "status");
  if (kind === "Database") return status === "ready";
  if (kind === "VpsInstance") return status === "running" || status === "stopped";
  return true;
}

/** Whether it holds data that cannot be created again. */
export const holdsData = (kind: KindName): boolean => kind === "Database" || kind === "VpsInstance";

/** Returns what identifies a resource to a program, from a request that creates it. */
export function identityIn(kind: KindName, body: unknown): string | undefined {
  const field = {
    Link: "slug",
    Database: "name",
    VpsInstance: "name",
    Inbox: "prefix",
    Webhook: "url",
  } as const;
  if (kind === "BackupSchedule" || kind === "VpsAction") return undefined;
  const value = member(body, field[kind]);
  if (typeof value !== "string") return undefined;
  return kind === "Link" ? `${String(member(body, "domain") ?? "")}/${value}` : value;
}
