// @module-tag slow

import { createServer, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { handlers } from "./dynamic.js";
import type { Properties } from "./kernel/definition/properties.js";
import { checked, outcomeOf, withoutSecretMarks } from "./testing/hooks.js";
import { CASES, KINDS, type KindName, SECRETS } from "./testing/kinds.js";

/*
 * An existing resource stays in the state despite invalid responses: each member of each response is in turn missing,
 * of another type, or hostile. The tests call the hooks like the engine's host.
 */

/** Raw JSON, because a JavaScript object cannot represent some of the hostile values. */
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

/** Returns a response in which the member at a path is replaced. */
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

const pathsIn = (answer: Properties): string[] =>
  Object.entries(answer).flatMap(([name, value]) => [
    name,
    ...(typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((member) => `${name}.${member}`)
      : []),
  ]);

const META = '{"request_id":"req_1","timestamp":1767225600}';

/** The service's responses by request, as JSON. */
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

/** Ends a wait that would never end: a rejected read is not retried. */
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

// Without an engine, warnings are printed.
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

/** Starts a case in a new session, like a new process. */
async function start(name: KindName, answers: Partial<Script>): Promise<void> {
  const good = render(CASES[name].response);
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

/** Returns the values that replace a member; a service may repeat the secrets that it knows. */
const hostileTo = (name: KindName): [string, string | undefined][] => [
  ...Object.entries(HOSTILE),
  ["secret", JSON.stringify([SECRETS.key, ...(CASES[name].secrets ?? [])].join(" "))],
];

/** Returns whether the value has another type than text; wrong texts affect fewer places. */
const breaksTypes = (raw: string | undefined): boolean => !raw?.startsWith('"');

type Broken = readonly [what: string, path: string, raw: string | undefined];

const brokenAnswers = (name: KindName): Broken[] =>
  pathsIn(CASES[name].response).flatMap((path) =>
    hostileTo(name).map(([how, raw]): Broken => [`${path} ${how}`, path, raw]),
  );

/** The ordinary values, which slow tests skip. */
const PLAIN = /( boolean| emoji| infinite| long| name of the prototype| control)$/;
const fewer = (cases: Broken[]) => cases.filter(([what]) => !PLAIN.test(what));

const withoutId = (name: KindName) => brokenAnswers(name).filter(([, path]) => path !== CASES[name].idMember);

/** Returns the expected id, if the response contains a usable one. */
const wanted = (name: KindName, path: string, raw: string | undefined): string | undefined => {
  const { idMember, id } = CASES[name];
  if (path !== idMember) return id;
  const shown: unknown = raw === undefined ? undefined : JSON.parse(raw);
  // A text that could lead to another path is no usable id: no request could contain it.
  return typeof shown === "string" && /^(?!\.{1,2}$)[^/\\\p{Cc}\p{Cs}]+$/u.test(shown) ? shown : undefined;
};

describe.each(KINDS)("a %s stays in the state under its id, despite an invalid response", (name) => {
  const { response: answer, pending, change, id } = CASES[name];
  const handler = handlers[name];

  it("to its creation", async () => {
    for (const [what, path, raw] of withoutId(name)) {
      const created = render(answer, path, raw);
      const everywhere = { created, read: created, listed: `[${created}]` };
      for (const answers of breaksTypes(raw) ? [{ created }, everywhere] : [everywhere]) {
        await start(name, answers);
        const end = await outcomeOf(handler.create(await checked(name, {})));
        expect({ what, id: end.id, message: end.message }).toMatchObject({ what, id });
      }
    }
  });

  it("to a poll", async () => {
    if (!pending) return;
    const created = render({ ...answer, ...pending });
    for (const [what, path, raw] of fewer(withoutId(name))) {
      await start(name, { created, read: render(answer, path, raw) });
      const end = await outcomeOf(handler.create(await checked(name, {})));
      expect({ what, id: end.id, message: end.message }).toMatchObject({ what, id });
    }
  });

  it("to a refresh, an update and a deletion", async () => {
    await start(name, {});
    const inputs = await checked(name, {});
    const { outs } = await handler.create(inputs);
    const olds = withoutSecretMarks(outs);
    for (const [what, path, raw] of fewer(brokenAnswers(name))) {
      const broken = render(answer, path, raw);
      await start(name, { read: broken, changed: broken });
      const read = await outcomeOf(handler.read(id, olds));
      if (read.message === "") expect({ what, id: read.id }).toEqual({ what, id });
      await start(name, { read: broken, changed: broken });
      const updated = await outcomeOf(handler.update(id, olds, await checked(name, change, inputs)));
      if (updated.message !== "") expect([undefined, id]).toContain(updated.id);
      if (!breaksTypes(raw)) continue;
      await start(name, { read: broken });
      await outcomeOf(handler.delete(id, olds).then(() => undefined));
    }
  });

  it("to its adoption", async () => {
    if (name === "BackupSchedule" || name === "VpsAction") return;
    for (const [what, path, raw] of fewer(brokenAnswers(name))) {
      const broken = render(answer, path, raw);
      for (const answers of breaksTypes(raw) ? [{ read: broken }, { changed: broken }] : [{ read: broken }]) {
        await start(name, answers);
        const end = await outcomeOf(handler.create(await checked(name, { ...change, adopt: id })));
        expect(wasCreated, what).toBe(false);
        if (end.message === "" || end.id !== undefined) expect(end.id, what).toBe(id);
      }
    }
  });
});

describe("an unusable id", () => {
  const kinds = KINDS.filter((name) => CASES[name].idMember !== undefined);
  it.each(kinds)("of a %s is kept if a request can contain it", async (name) => {
    const { response: answer, idMember = "" } = CASES[name];
    for (const raw of Object.values(HOSTILE)) {
      const shown = wanted(name, idMember, raw);
      if (shown === undefined) continue;
      const created = render(answer, idMember, raw);
      await start(name, { created, read: created });
      const end = await outcomeOf(handlers[name].create(await checked(name, {})));
      expect({ id: end.id, message: end.message }).toMatchObject({ id: shown });
    }
  });

  it.each(kinds)("of a %s is rejected if it could lead to another path", async (name) => {
    const { response: answer, idMember = "" } = CASES[name];
    const created = render(answer, idMember, '"../databases/db_1"');
    await start(name, { created, read: created, listed: `[${created}]` });
    const end = await outcomeOf(handlers[name].create(await checked(name, {})));
    if (end.id === undefined) expect(end.message).toMatch(/\[CREATE_OUTCOME_UNKNOWN\]/);
    else expect(end.id).toMatch(/^unnamed:/);
  });

  it.each(["missing", "null", "number", "empty"])("is looked up in the list when it is %s", async (how) => {
    for (const name of ["Webhook"] as const) {
      const { response: answer, idMember = "", id } = CASES[name];
      await start(name, { created: render(answer, idMember, HOSTILE[how]), listed: `[${render(answer)}]` });
      const end = await outcomeOf(handlers[name].create(await checked(name, {})));
      if (end.id === undefined) expect(end.message).toMatch(/\[CREATE_OUTCOME_UNKNOWN\]/);
      else expect(end.id).toBe(id);
    }
  });
});

describe("the metadata of a response", () => {
  it.each(["null", '"%"', '{"timestamp":1e300,"request_id":{}}', '{"timestamp":"soon"}', "[]"])(
    "does not lose the resource: %s",
    async (meta) => {
      for (const name of KINDS) {
        const { response: answer, id } = CASES[name];
        for (const created of [render(answer), render(answer, "created_at", "7")]) {
          await start(name, { created, meta });
          const end = await outcomeOf(handlers[name].create(await checked(name, {})));
          expect({ name, id: end.id, message: end.message }).toMatchObject({ name, id });
        }
      }
    },
  );
});
