import type { LiveResource, Sandbox } from "cloudservices-sandbox";
import { BackupSchedule, Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { expect, it } from "vitest";
import { isNative } from "../support/form.js";
import { failureOf, type TestStack } from "../support/stack.js";
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

/** The paths of each kind. */
const routes = {
  Link: /^\S+ \/shortener\//,
  Database: /^\S+ \/databases(?!.*\/backup-schedule)/,
  VpsInstance: /^\S+ \/vps\//,
  BackupSchedule: /^\S+ \/databases\/.*\/backup-schedule/,
  Inbox: /^\S+ \/tempmail\//,
  Webhook: /^\S+ \/webhooks/,
};

/** Requests that change something at the service. */
const changing = (requests: readonly string[]) => requests.filter((request) => !request.startsWith("GET "));

/** Lists here are sets. */
const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).sort() : value);

const region = "eu-central-1";

/** The name of the database of the backup schedule. */
const BACKED_UP = "backed-up";

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
        name: BACKED_UP,
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

/** Returns a program with one resource of each kind, and what changes their inputs. */
function programOf(rounds: readonly Round[]) {
  const current = new Map(rounds.map(({ kind, least }) => [kind, least]));
  return {
    program: async () => {
      for (const { kind, declare } of rounds) declare("it", current.get(kind) ?? {});
    },
    inputsOf: (kind: LiveResource["kind"]) => current.get(kind) ?? {},
    set: (kind: LiveResource["kind"], inputs: Inputs) => void current.set(kind, inputs),
  };
}

/** Returns the resource of a kind whose fields change. */
const liveIn = (sandbox: Sandbox, kind: LiveResource["kind"]) =>
  sandbox.resources().findLast((one) => one.kind === kind && one.fields["name"] !== BACKED_UP);

type KindChange = readonly [LiveResource["kind"], ...Change];

/** Returns the first change of each kind, then the second of each, and so on: a run shows one of each kind. */
function stepsOf(changes: readonly (readonly [LiveResource["kind"], readonly Change[]])[]): KindChange[][] {
  const count = Math.max(...changes.map(([, ofKind]) => ofKind.length));
  return Array.from({ length: count }, (_, step) =>
    changes.flatMap(([kind, ofKind]) =>
      ofKind.slice(step, step + 1).map((change) => [kind, ...change] as const),
    ),
  );
}

/**
 * Runs a program in which one input of each kind has changed. Expects the effects on the resources, on their ids and at
 * the service.
 */
async function expectEffects(
  { sandbox, stack }: { sandbox: Sandbox; stack: TestStack },
  changes: readonly KindChange[],
  all: number,
): Promise<string[]> {
  const label = changes
    .map(([kind, field, value, effect]) => `${kind}.${field} ${value}: ${effect}`)
    .join(", ");
  const expected: Record<string, number> = {};
  const effects = changes.map(([, , , effect]) => effect).concat(Array(all - changes.length).fill("same"));
  for (const effect of effects) expected[effect] = (expected[effect] ?? 0) + 1;
  const before = new Map(changes.map(([kind]) => [kind, liveIn(sandbox, kind)?.id]));

  takeRequests(sandbox);
  expect((await stack.up()).summary, label).toEqual(expected);
  const requests = takeRequests(sandbox);
  for (const [kind, field, value, effect] of changes) {
    const live = liveIn(sandbox, kind);
    expect(live?.id === before.get(kind), `${field}: the same ${kind}`).toBe(effect !== "replace");
    if (effect === "same" || ours.includes(field))
      expect(
        requests.filter((request) => routes[kind].test(request)),
        `${kind}.${field}`,
      ).toEqual([]);
    else expectHeld(live, field, value);
  }
  return requests;
}

it("each field changes as defined, its drift is repaired, and the next preview is empty", async () => {
  const { program, inputsOf, set } = programOf(repeated);
  const opened = await openTestStack(program);
  const { sandbox, stack } = opened;
  // The backup schedule has a database.
  const all = repeated.length + 1;
  expect((await stack.up()).summary).toEqual({ create: all });

  for (const changes of stepsOf(repeated.map(({ kind, changes }) => [kind, changes]))) {
    for (const [kind, field, value] of changes) set(kind, { ...inputsOf(kind), [field]: value });
    await expectEffects(opened, changes, all);
  }
  expect((await stack.preview()).summary).toEqual({ same: all });

  for (const { kind, refused = [] } of repeated) {
    const good = inputsOf(kind);
    for (const [change, says] of refused) {
      set(kind, { ...good, ...change });
      expect(await failureOf(stack.preview()), kind).toMatch(says);
    }
    set(kind, good);
  }

  const held = new Map(repeated.map(({ kind }) => [kind, liveIn(sandbox, kind)?.fields]));
  for (const drifts of stepsOf(
    repeated.map(({ kind, drift }) => [
      kind,
      Object.entries(drift).map(([field, value]) => [field, value, "update"] as const),
    ]),
  )) {
    for (const [kind, field, value] of drifts)
      sandbox.change(liveIn(sandbox, kind)?.id ?? "", { [field]: value });
    await stack.refresh();
    const label = drifts.map(([kind, field]) => `${kind}.${field}`).join(", ");
    expect((await stack.up()).summary, `drift of ${label}`).toEqual({
      update: drifts.length,
      same: all - drifts.length,
    });
    for (const [kind, field] of drifts)
      expect(sorted(liveIn(sandbox, kind)?.fields[field]), `${kind}.${field} put back`).toEqual(
        sorted(held.get(kind)?.[field]),
      );
  }
  await stack.refresh();
  expect((await stack.preview()).summary).toEqual({ same: all });
  await stack.destroy();
  expect(sandbox.resources()).toEqual([]);
});

it("each field changes as the mode `documented` allows, and the next preview is empty", async () => {
  const { program, inputsOf, set } = programOf(rounds);
  const opened = await openTestStack(program, {
    service: { profile: "documented" },
    config: { "cloudservices:api": "documented", "cloudservices:undeletable": "abandon" },
  });
  const { sandbox, stack } = opened;
  // No request shows when a server is ready, so it counts as ready at once.
  for (const what of ["vps", "vpsAction"] as const) sandbox.progress(what, { mode: "time", ms: 0 });
  const all = rounds.length + 1;
  expect((await stack.up()).summary).toEqual({ create: all });

  const replacing = (changes: readonly Change[]) =>
    changes.map(([field, value, effect]): Change => [field, value, effect === "update" ? "replace" : effect]);
  const allowed = rounds.map(
    ({ kind, changes, documented }) => [kind, documented ?? replacing(changes)] as const,
  );
  for (const changes of stepsOf(allowed)) {
    for (const [kind, field, value] of changes) set(kind, { ...inputsOf(kind), [field]: value });
    const requests = await expectEffects(opened, changes, all);
    const sent = changes.filter(([, field, , effect]) => effect !== "same" && !ours.includes(field));
    expect(changing(requests), sent.join(", ")).toHaveLength(sent.length);
  }
  expect((await stack.refresh()).summary).toEqual({ same: all });
  expect((await stack.preview()).summary).toEqual({ same: all });
  await stack.destroy();
  expect((await stack.export()).resources).toEqual([]);
});
