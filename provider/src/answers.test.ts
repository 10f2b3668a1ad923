import { createServer, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { handlers } from "./dynamic.js";
import type { Values } from "./kernel/values.js";

/*
 * Whatever a service answers, a resource that exists stays in the state: each member of each answer is in turn missing,
 * of another type, or hostile, and the hooks are called as the engine's host calls them.
 */

const SECRETS = {
  key: "sk_live_of_the_fuzzed_stack",
  passcode: "open-sesame-4711",
  signing: "whsec_0123456789",
  script: "echo hush-hush-hush",
  password: "s3cr3t-db-password",
};

/** JSON as it travels: hostile values that a JavaScript object could not hold are spelt out. */
const HOSTILE: Readonly<Record<string, string | undefined>> = {
  missing: undefined,
  null: "null",
  number: "7",
  infinite: "1e999",
  boolean: "true",
  array: '["%"]',
  object: '{"%":"%"}',
  polluting: '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  empty: '""',
  "raw percent": '"%"',
  "raw percent in an address": '"postgresql://app:50%@db.test:5432/app"',
  "name of the prototype": '"__proto__"',
  long: JSON.stringify("long ".repeat(600)),
  emoji: '"👩‍👩‍👧 \\ud83d\\ude00"',
  "lone surrogate": '"a\\ud800z"',
  control: '"line\\nbreak\\u0000\\u001b[31m"',
};

interface Case {
  readonly inputs: Values;
  /** Where it is created; below it, it lives. */
  readonly collection: string;
  readonly answer: Values;
  /** While it is not ready yet. */
  readonly pending?: Values;
  /** The change that an update makes. */
  readonly change: Values;
  /** The name of the id in the answer; without it, the id is the one of what it belongs to. */
  readonly idMember?: string;
  readonly id: string;
  /** What no message about it may hold. */
  readonly secrets?: readonly string[];
}

const server = { plan: "vps-micro-1", region: "eu", image: "debian-12" };
const CASES: Readonly<Record<keyof typeof handlers, Case>> = {
  Link: {
    inputs: { url: "https://example.com/a", passcode: SECRETS.passcode },
    collection: "/v1/shortener/links",
    answer: {
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
    answer: {
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
    answer: { frequency: "daily", hour_utc: 3, retention_days: 7, notify_on_complete: false },
    change: { hourUtc: 4 },
    id: "db_1",
  },
  VpsInstance: {
    inputs: { name: "web", ...server, userData: SECRETS.script },
    collection: "/v1/vps/instances",
    answer: {
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
    answer: {
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
    answer: {
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
    answer: { id: "vps_1", status: "running", status_reason: "none", ipv4: "192.0.2.1" },
    pending: { status: "rebooting" },
    change: { customTimeouts: { create: "70ms" } },
    id: "vps_1",
  },
};
const KINDS = Object.keys(CASES).filter((name): name is keyof typeof handlers => name in CASES);

/** An answer in which one member, by its path, is another. */
function render(value: unknown, path?: string, raw?: string): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  const [first, ...rest] = path?.split(".") ?? [];
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name !== first) return [`${JSON.stringify(name)}:${render(member)}`];
    if (rest.length > 0) return [`${JSON.stringify(name)}:${render(member, rest.join("."), raw)}`];
    return raw === undefined ? [] : [`${JSON.stringify(name)}:${raw}`];
  });
  return `{${members.join(",")}}`;
}

const pathsIn = (answer: Values): string[] =>
  Object.entries(answer).flatMap(([name, value]) => [
    name,
    ...(typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((member) => `${name}.${member}`)
      : []),
  ]);

const META = '{"request_id":"req_1","timestamp":1767225600}';

/** What the service answers, as JSON, by what it is asked. */
interface Script {
  created: string;
  read: string;
  changed: string;
  listed?: string;
  meta?: string;
}

let script: Script = { created: "{}", read: "{}", changed: "{}" };
let wasCreated = false;
let wasDeleted = false;
let reads = 0;

/** Ends the waiting for what never becomes ready: a read that is refused is not repeated. */
const MOST_READS = 3;

function respond({ method, url = "" }: IncomingMessage): { status: number; data: string } {
  const isCollection = Object.values(CASES).some(({ collection }) => url.split("?")[0] === collection);
  if (method === "DELETE") {
    wasDeleted = true;
    return { status: 200, data: "null" };
  }
  if (method === "PATCH") return { status: 200, data: script.changed };
  if (method === "POST" || method === "PUT") {
    wasCreated = true;
    return { status: 201, data: script.created };
  }
  const isList = isCollection && !url.includes("backup-schedule");
  if (isList) return { status: 200, data: wasCreated ? (script.listed ?? "[]") : "[]" };
  reads += 1;
  return { status: wasDeleted ? 404 : reads > MOST_READS ? 403 : 200, data: script.read };
}

const service = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const { status, data } = respond(request);
    const meta = script.meta ?? META;
    response.setHeader("content-type", "application/json");
    response.setHeader("connection", "close");
    response
      .writeHead(status)
      .end(
        status >= 400
          ? `{"status":"error","error":{"code":"${status === 404 ? "RESOURCE_NOT_FOUND" : "FORBIDDEN"}"}}`
          : `{"status":"success","data":${data},"meta":${meta}}`,
      );
  });
});

// Warnings go to the display where there is no engine.
vi.spyOn(console, "error").mockReturnValue();

let baseUrl = "";
let runs = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const address = service.address();
  if (address === null || typeof address === "string") throw new Error("The service has no port.");
  baseUrl = `http://127.0.0.1:${address.port}/v1`;
});
afterAll(() => {
  service.close();
});

/** A process of its own for each case, as far as the hooks can tell. */
async function start(name: keyof typeof handlers, answers: Partial<Script>): Promise<void> {
  const good = render(CASES[name].answer);
  script = { created: good, read: good, changed: good, ...answers };
  wasCreated = false;
  wasDeleted = false;
  reads = 0;
  const config: Record<string, string> = {
    "cloudservices:apiKey": SECRETS.key,
    "cloudservices:baseUrl": baseUrl,
    "cloudservices:maxRetries": "0",
    "cloudservices:pollInterval": "10",
    "cloudservices:namespace": `run ${++runs}`,
  };
  await handlers[name].configure({ config: { get: (key) => config[key] } });
}

const urnOf = (name: string) => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:${name}::it`;

async function checked(name: keyof typeof handlers, news: Values, olds: Values = {}): Promise<Values> {
  const inputs = {
    ...CASES[name].inputs,
    customTimeouts: { create: "20s", update: "20s", delete: "20s" },
    __urn: urnOf(name),
    ...news,
  };
  const { inputs: kept, failures } = await handlers[name].check(olds, inputs);
  expect(failures).toEqual([]);
  return { ...asHandedOver(kept), __provider: "the text" };
}

const SECRET_MARK = "4dabf18193072939515e22adb298388d";

/** Properties as the engine hands them to a hook: without the marks of secrets. */
const asHandedOver = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isMarked = typeof value === "object" && value !== null && SECRET_MARK in value;
      return [name, isMarked && "value" in value ? value.value : value];
    }),
  );

interface Ended {
  readonly id: unknown;
  readonly outs: unknown;
  readonly message: string;
}

/** Calls a hook and looks at what leaves it, however it ends. */
async function ended(
  work: Promise<{ id?: string; outs?: Values; props?: Values; inputs?: Values } | undefined>,
): Promise<Ended> {
  let end: Ended;
  try {
    const kept = await work;
    end = { id: kept?.id, outs: kept?.outs ?? kept?.props, message: "" };
    requireRepresentable(kept?.inputs ?? {});
  } catch (error) {
    if (typeof error !== "object" || error === null) throw error;
    const said: unknown = Reflect.get(error, "message");
    if (typeof said !== "string") throw new Error("It has no message.");
    expect(Reflect.get(error, "stack")).toBe(said);
    end = { id: Reflect.get(error, "id"), outs: Reflect.get(error, "properties"), message: said };
    if (end.id !== undefined) expect(end.outs).toMatchObject({ __provider: "the text", __state: {} });
  }
  requireRepresentable(end.outs ?? {});
  for (const secret of Object.values(SECRETS)) expect(end.message).not.toContain(secret);
  expect(end.message).not.toMatch(/\p{Surrogate}/u);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
  return end;
}

/** What the engine can carry: JSON, and no text that UTF-8 cannot spell. */
function requireRepresentable(value: unknown): void {
  const text = JSON.stringify(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(
    JSON.stringify(value, (_key, member: unknown) => (member === undefined ? "undefined!" : member)),
  ).toBe(text);
  expect(text).not.toMatch(/\\ud[89a-f]/i);
}

/** All that a case may answer in the place of a member; a service may repeat the secrets that it knows. */
const hostileTo = (name: keyof typeof handlers): [string, string | undefined][] => [
  ...Object.entries(HOSTILE),
  ["secret", JSON.stringify([SECRETS.key, ...(CASES[name].secrets ?? [])].join(" "))],
];

/** A text in the place of a text can be read; what is wrong with it shows later, and in fewer places. */
const breaksTypes = (raw: string | undefined): boolean => !raw?.startsWith('"');

type Broken = readonly [what: string, path: string, raw: string | undefined];

const brokenAnswers = (name: keyof typeof handlers): Broken[] =>
  pathsIn(CASES[name].answer).flatMap((path) =>
    hostileTo(name).map(([how, raw]): Broken => [`${path} ${how}`, path, raw]),
  );

/** Where each case waits, or asks several times, those that have nothing special about them are left out. */
const PLAIN = /( boolean| emoji| infinite| long| name of the prototype| control)$/;
const fewer = (cases: Broken[]) => cases.filter(([what]) => !PLAIN.test(what));

const withoutId = (name: keyof typeof handlers) =>
  brokenAnswers(name).filter(([, path]) => path !== CASES[name].idMember);

/** The id that is to be kept, where the answer shows one that can be used. */
const wanted = (name: keyof typeof handlers, path: string, raw: string | undefined): string | undefined => {
  const { idMember, id } = CASES[name];
  if (path !== idMember) return id;
  const shown: unknown = raw === undefined ? undefined : JSON.parse(raw);
  return typeof shown === "string" && shown !== "" ? shown.replace(/\p{Surrogate}/gu, "\uFFFD") : undefined;
};

describe.each(KINDS)("a %s stays in the state under its id, whatever the service answers", (name) => {
  const { answer, pending, change, id } = CASES[name];
  const handler = handlers[name];

  it("to its creation", async () => {
    for (const [what, path, raw] of withoutId(name)) {
      const created = render(answer, path, raw);
      const everywhere = { created, read: created, listed: `[${created}]` };
      for (const answers of breaksTypes(raw) ? [{ created }, everywhere] : [everywhere]) {
        await start(name, answers);
        const end = await ended(handler.create(await checked(name, {})));
        expect({ what, id: end.id, message: end.message }).toMatchObject({ what, id });
      }
    }
  });

  it("while it is waited for", async () => {
    if (!pending) return;
    const created = render({ ...answer, ...pending });
    for (const [what, path, raw] of fewer(withoutId(name))) {
      await start(name, { created, read: render(answer, path, raw) });
      const end = await ended(handler.create(await checked(name, {})));
      expect({ what, id: end.id, message: end.message }).toMatchObject({ what, id });
    }
  });

  it("to a refresh, an update and a deletion", async () => {
    await start(name, {});
    const inputs = await checked(name, {});
    const { outs } = await handler.create(inputs);
    const olds = asHandedOver(outs);
    for (const [what, path, raw] of fewer(brokenAnswers(name))) {
      const broken = render(answer, path, raw);
      await start(name, { read: broken, changed: broken });
      const read = await ended(handler.read(id, olds));
      if (read.message === "") expect({ what, id: read.id }).toEqual({ what, id });
      await start(name, { read: broken, changed: broken });
      const updated = await ended(handler.update(id, olds, await checked(name, change, inputs)));
      if (updated.message !== "") expect([undefined, id]).toContain(updated.id);
      if (!breaksTypes(raw)) continue;
      await start(name, { read: broken });
      await ended(handler.delete(id, olds).then(() => undefined));
    }
  });

  it("to its adoption", async () => {
    if (name === "BackupSchedule" || name === "VpsAction") return;
    for (const [what, path, raw] of fewer(brokenAnswers(name))) {
      const broken = render(answer, path, raw);
      for (const answers of breaksTypes(raw) ? [{ read: broken }, { changed: broken }] : [{ read: broken }]) {
        await start(name, answers);
        const end = await ended(handler.create(await checked(name, { ...change, adopt: id })));
        expect(wasCreated, what).toBe(false);
        if (end.message === "" || end.id !== undefined) expect(end.id, what).toBe(id);
      }
    }
  });
});

describe("an id that is no id", () => {
  const kinds = KINDS.filter((name) => CASES[name].idMember !== undefined);
  it.each(kinds)("of a %s is kept where it can be used", async (name) => {
    const { answer, idMember = "" } = CASES[name];
    for (const raw of Object.values(HOSTILE)) {
      const shown = wanted(name, idMember, raw);
      if (shown === undefined) continue;
      const created = render(answer, idMember, raw);
      await start(name, { created, read: created });
      const end = await ended(handlers[name].create(await checked(name, {})));
      expect({ id: end.id, message: end.message }).toMatchObject({ id: shown });
    }
  });

  it.each(["missing", "null", "number", "empty"])("is looked for in the list where it is %s", async (how) => {
    for (const name of ["Webhook"] as const) {
      const { answer, idMember = "", id } = CASES[name];
      await start(name, { created: render(answer, idMember, HOSTILE[how]), listed: `[${render(answer)}]` });
      const end = await ended(handlers[name].create(await checked(name, {})));
      if (end.id === undefined) expect(end.message).toMatch(/may (or may not )?have been created/);
      else expect(end.id).toBe(id);
    }
  });
});

describe("what surrounds an answer", () => {
  it.each(["null", '"%"', '{"timestamp":1e300,"request_id":{}}', '{"timestamp":"soon"}', "[]"])(
    "is no reason to lose anything: %s",
    async (meta) => {
      for (const name of KINDS) {
        const { answer, id } = CASES[name];
        for (const created of [render(answer), render(answer, "created_at", "7")]) {
          await start(name, { created, meta });
          const end = await ended(handlers[name].create(await checked(name, {})));
          expect({ name, id: end.id, message: end.message }).toMatchObject({ name, id });
        }
      }
    },
  );
});
