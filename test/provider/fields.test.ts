import type { LiveResource } from "cloudservices-sandbox";
import { BackupSchedule, Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { isNative } from "../support/form.js";
import { failureOf } from "../support/stack.js";
import { declaring, openTestStack, takeRequests } from "../support/test-stack.js";

type Inputs = Readonly<Record<string, unknown>>;
type Effect = "update" | "replace" | "same";
type Change = readonly [field: string, value: unknown, effect: Effect];

interface Round {
  readonly declare: (name: string, inputs: Inputs) => void;
  readonly kind: LiveResource["kind"];
  /** What it is created with: only what is required. */
  readonly least: Inputs;
  /** One after the other, each on top of the ones before: a field, its new value, and what that leads to. */
  readonly changes: readonly Change[];
  /** The same in the mode `documented`, where abandoning is allowed; without it, what is updated is replaced. */
  readonly documented?: readonly Change[];
  /** Changed behind the provider's back, in the wire's spelling: each is seen by refresh and put back. */
  readonly drift: Inputs;
  /** Refused at preview, with what it says. */
  readonly refused?: readonly (readonly [Inputs, RegExp])[];
}

/** Inputs that are not sent to the service: a change of them sends no request. */
const ours = ["allowStopping", "replaceOnUserDataChange", "renewExpired"];

/** What the service has for an input. */
function held({ kind, fields }: LiveResource, field: string): unknown {
  const [prefix, domain] = String(fields["email_address"]).split("@");
  const elsewhere: Record<string, unknown> = {
    "Link.url": fields["destination_url"],
    "VpsInstance.powerState": fields["status"],
    "Inbox.prefix": prefix,
    "Inbox.domain": domain,
  };
  const onTheWire = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return elsewhere[`${kind}.${field}`] ?? fields[onTheWire];
}

/** The service really has the new value: a state that only says so is no change. */
function expectHeld(resource: LiveResource | undefined, field: string, value: unknown): void {
  if (resource === undefined || ours.includes(field)) return;
  const has = held(resource, field);
  const what = `${resource.kind}.${field} at the service`;
  if (value === undefined) expect([undefined, null, false], what).toContain(has);
  else if (field === "prefix") expect(String(has).startsWith(String(value)), what).toBe(true);
  else expect(sorted(has), what).toEqual(sorted(value));
}

/** Requests that change something at the service. */
const changing = (requests: readonly string[]) => requests.filter((request) => !request.startsWith("GET "));

/** Lists here are sets. */
const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).sort() : value);

const region = "eu-central-1";

const rounds: readonly Round[] = [
  {
    kind: "Link",
    declare: declaring(Link),
    least: { url: "https://example.com/a" },
    changes: [
      ["url", "https://example.com/b", "update"],
      ["url", "HTTPS://EXAMPLE.com/b", "same"],
      ["title", "One", "update"],
      ["title", undefined, "update"],
      ["expiresAt", "2030-01-01T00:00:00Z", "update"],
      ["expiresAt", "2030-01-01T02:00:00+02:00", "same"],
      ["passcode", "a-passcode", "update"],
      ["utmSource", "mail", "update"],
      ["slug", "launch", "replace"],
      ["slug", undefined, "same"],
      ["domain", "go.example.com", "replace"],
      ["domain", "GO.example.com", "same"],
    ],
    // A link's slug is unique, so one that cannot be deleted cannot be replaced by another of the same slug.
    documented: [
      ["url", "HTTPS://EXAMPLE.com/a", "same"],
      ["slug", "launch", "replace"],
      ["domain", "go.example.com", "replace"],
    ],
    drift: { destination_url: "https://evil.example.com/" },
  },
  {
    kind: "Database",
    declare: declaring(Database),
    least: { engine: "postgresql", version: "15", plan: "db-starter-1", region },
    changes: [
      ["name", "orders", "update"],
      ["version", "16", "update"],
      ["plan", "db-standard-2", "update"],
      ["enableConnectionPool", true, "update"],
      ["enableConnectionPool", undefined, "update"],
      ["vpcId", "vpc_1", "replace"],
      ["region", "us-east-1", "replace"],
    ],
    drift: { name: "by-hand", enable_connection_pool: true },
    refused: [
      [{ version: "15" }, /version.*cannot go down: the database runs 16/],
      [{ plan: "db-starter-1" }, /plan.*has less storage \(20 GB\) than db-standard-2 \(60 GB\)/],
    ],
  },
  {
    kind: "VpsInstance",
    declare: declaring(VpsInstance),
    least: { plan: "vps-micro-1", region, image: "debian-12" },
    changes: [
      ["name", "web", "update"],
      ["backupsEnabled", true, "update"],
      ["powerState", "stopped", "update"],
      ["plan", "vps-standard-2", "update"],
      ["powerState", "running", "update"],
      ["allowStopping", true, "update"],
      ["plan", "vps-standard-4", "update"],
      ["userData", "#!/bin/sh", "update"],
      ["sshKeys", ["ssh_key_1", "ssh_key_2"], "replace"],
      ["sshKeys", ["ssh_key_2", "ssh_key_1"], "same"],
      ["replaceOnUserDataChange", true, "update"],
      ["userData", "#!/bin/sh\ntrue", "replace"],
      ["image", "debian-11", "replace"],
      ["region", "us-east-1", "replace"],
      ["allowStopping", false, "update"],
    ],
    documented: [
      ["name", "web", "replace"],
      ["powerState", "stopped", "update"],
      ["powerState", "running", "update"],
      ["plan", "vps-standard-2", "replace"],
      ["allowStopping", true, "update"],
      ["userData", "#!/bin/sh", "replace"],
      ["sshKeys", ["ssh_key_1"], "replace"],
      ["image", "debian-11", "replace"],
    ],
    drift: { name: "by-hand", status: "stopped" },
    refused: [
      [{ plan: "vps-micro-1" }, /plan.*has less disk \(25 GB\) than vps-standard-4 \(160 GB\)/],
      [{ plan: "vps-memory-8" }, /plan.*allowStopping: true/s],
    ],
  },
  {
    kind: "BackupSchedule",
    declare: (name, inputs) => {
      const database = new Database("orders", {
        engine: "postgresql",
        version: "16",
        plan: "db-starter-1",
        region,
        name: "orders",
      });
      declaring(BackupSchedule)(name, { databaseId: database.id, ...inputs });
    },
    least: { frequency: "daily", hourUtc: 3, retentionDays: 7 },
    changes: [
      ["frequency", "weekly", "update"],
      ["hourUtc", 0, "update"],
      ["retentionDays", 1, "update"],
      ["notifyOnComplete", true, "update"],
    ],
    documented: [
      ["frequency", "weekly", "update"],
      ["hourUtc", 0, "update"],
      ["retentionDays", 1, "update"],
      ["notifyOnComplete", true, "update"],
    ],
    drift: { hour_utc: 12, retention_days: 3 },
  },
  {
    kind: "Inbox",
    declare: declaring(Inbox),
    least: {},
    changes: [
      ["ttlMinutes", 60, "same"],
      ["ttlMinutes", 90, "replace"],
      ["prefix", "signup", "replace"],
      ["webhookUrl", "https://example.com/hook", "replace"],
      ["domain", "inbox.test", "replace"],
      ["renewExpired", true, "update"],
    ],
    documented: [
      ["ttlMinutes", 90, "replace"],
      ["renewExpired", true, "update"],
    ],
    drift: {},
  },
  {
    kind: "Webhook",
    declare: declaring(Webhook),
    least: { url: "https://example.com/one", events: ["database.backup.failed"], secret: "a-signing-secret" },
    changes: [
      ["url", "https://example.com/two", "update"],
      ["events", ["database.backup.failed", "vps.snapshot.completed"], "update"],
      ["events", ["vps.snapshot.completed", "database.backup.failed"], "same"],
      ["secret", "another-signing-secret", "update"],
    ],
    drift: { url: "https://evil.example.com/", events: ["database.backup.completed"] },
  },
];

/** The native form repeats half of the kinds here, and all of them in the mode `documented`. */
const repeated = rounds.filter(
  ({ kind }) => !isNative || ["Database", "BackupSchedule", "Webhook"].includes(kind),
);

describe.each(repeated)("each field of a $kind", ({ kind, declare, least, changes, drift, refused = [] }) => {
  it("changes as defined, its drift is repaired, and the next preview is empty", async () => {
    let inputs = least;
    const { sandbox, stack } = await openTestStack(async () => declare("it", inputs));
    await stack.up();
    const others = sandbox.resources().length - 1;
    const live = () => sandbox.resources().findLast((resource) => resource.kind === kind);

    for (const [field, value, effect] of changes) {
      inputs = { ...inputs, [field]: value };
      const before = live()?.id;
      takeRequests(sandbox);
      const { summary } = await stack.up();
      const expected =
        effect === "same" ? { same: 1 + others } : { [effect]: 1, ...(others ? { same: others } : {}) };
      expect(summary, `${field}: ${String(value)}`).toEqual(expected);
      expect(live()?.id === before, `${field}: the same ${kind}`).toBe(
        effect !== "replace" || kind === "BackupSchedule",
      );
      if (effect === "same" || ours.includes(field)) expect(takeRequests(sandbox), field).toEqual([]);
      else expectHeld(live(), field, value);
    }
    expect((await stack.preview()).summary).toEqual({ same: 1 + others });

    for (const [change, says] of refused) {
      const good = inputs;
      inputs = { ...inputs, ...change };
      expect(await failureOf(stack.preview())).toMatch(says);
      inputs = good;
    }

    const held = live()?.fields ?? {};
    for (const [field, value] of Object.entries(drift)) {
      sandbox.change(live()?.id ?? "", { [field]: value });
      await stack.refresh();
      expect((await stack.up()).summary, `drift of ${field}`).toMatchObject({ update: 1 });
      expect(sorted(live()?.fields[field]), `${field} put back`).toEqual(sorted(held[field]));
    }
    await stack.refresh();
    expect((await stack.preview()).summary).toEqual({ same: 1 + others });
    await stack.destroy();
    expect(sandbox.resources()).toEqual([]);
  });
});

describe("each field in the mode `documented`", () => {
  it("changes as the mode allows, and the next preview is empty", async () => {
    const current = new Map(rounds.map(({ kind, least }) => [kind, least]));
    const program = async () => {
      for (const { kind, declare } of rounds) declare("it", current.get(kind) ?? {});
    };
    const { sandbox, stack } = await openTestStack(program, {
      service: { profile: "documented" },
      config: { "cloudservices:api": "documented", "cloudservices:undeletable": "abandon" },
    });
    // No request shows when a server is ready, so it counts as ready at once.
    for (const what of ["vps", "vpsAction"] as const) sandbox.progress(what, { mode: "time", ms: 0 });
    const all = rounds.length + 1;
    expect((await stack.up()).summary).toEqual({ create: all });

    // One field of each kind at a time, so that few runs do.
    const steps = Math.max(...rounds.map(({ changes, documented = changes }) => documented.length));
    for (let step = 0; step < steps; step++) {
      const expected: Record<string, number> = { same: all };
      const happened: string[] = [];
      const asked: (readonly [LiveResource["kind"], string, unknown])[] = [];
      for (const { kind, changes, documented } of rounds) {
        const change = (documented ?? changes)[step];
        if (!change) continue;
        const [field, value, effect] = change;
        current.set(kind, { ...current.get(kind), [field]: value });
        const happens = documented === undefined && effect === "update" ? "replace" : effect;
        happened.push(`${kind}.${field} ${happens}`);
        if (happens === "same") continue;
        if (!ours.includes(field)) asked.push([kind, field, value]);
        expected["same"] = (expected["same"] ?? 0) - 1;
        expected[happens] = (expected[happens] ?? 0) + 1;
      }
      takeRequests(sandbox);
      expect((await stack.up()).summary, happened.join(", ")).toEqual(expected);
      expect(changing(takeRequests(sandbox)), happened.join(", ")).toHaveLength(asked.length);
      for (const [kind, field, value] of asked) {
        const live = sandbox.resources().findLast((resource) => resource.kind === kind);
        expectHeld(live, field, value);
      }
    }
    expect((await stack.refresh()).summary).toEqual({ same: all });
    expect((await stack.preview()).summary).toEqual({ same: all });
    await stack.destroy();
    expect((await stack.export()).resources).toEqual([]);
  });
});
