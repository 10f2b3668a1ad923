// @module-tag slow

import { describe, expect, it } from "vitest";
import { handlers } from "./dynamic.js";
import { checked, outcomeOf, withoutSecretMarks } from "./test-support/hooks.js";
import { begin, hostileService, useHostileService } from "./test-support/hostile-service.js";
import { CASES, KINDS } from "./test-support/kinds.js";

useHostileService();

/** Ids that could lead to another path, host or header. */
const IDS = [
  ...["../databases/db_9", "..", ".", "a/../../b", "db_1/backup-schedule", "/etc", "//evil.test/x", "..\\x"],
  ...[
    "http://evil.test/",
    "a?b=c",
    "a#b",
    "a&b=c;d",
    "a\nb",
    "a\r\nHost: evil.test",
    "a\u0000b",
    "%2e%2e",
    "%2e%2e%2fx",
  ],
  ...["__proto__", "constructor", "toString", "😀", "a b", "-", "x".repeat(3_000)],
];

/** Whether a request can only be about this resource of the kind, also behind a proxy that decodes the path. */
function isAbout(target: string, collection: string, id: string): boolean {
  const [path = ""] = (target.split(" ")[1] ?? "").split("?");
  if (path === collection) return true;
  const own = `${collection}/${encodeURIComponent(id)}`;
  if (path !== own && path !== `${own}/actions`) return false;
  return !/[/\\]|^\.{1,2}$/.test(
    decodeURIComponent(path.slice(collection.length + 1).replace(/\/actions$/, "")),
  );
}

describe("an id that could lead to another path", () => {
  const kinds = KINDS.filter((name) => CASES[name].idMember !== undefined);

  it.each(kinds)(
    "of a %s is kept, and no request is sent to another route",
    { timeout: 120_000 },
    async (name) => {
      const { response, idMember = "", collection, change } = CASES[name];
      const handler = handlers[name];
      for (const id of IDS) {
        // A creation rejects an id that no path can contain (unusable-ids.test.ts); an older state may have one.
        const isUsable = !/^\.{1,2}$|[/\\]|\p{Cc}/u.test(id);
        await begin(name, isUsable ? { ...response, [idMember]: id } : response);
        const inputs = await checked(name, {});
        const end = await outcomeOf(handler.create(inputs));
        if (isUsable) expect({ id: end.id, message: end.message }).toMatchObject({ id });
        const olds = withoutSecretMarks(Object(end.outs));
        const all = isUsable ? [...hostileService.requests] : [];
        for (const call of [
          () => handler.read(id, olds),
          async () => ({ ...(await handler.update(id, olds, await checked(name, change, inputs))), id }),
          () => handler.delete(id, olds).then(() => undefined),
          async () => handler.create(await checked(name, { adopt: id })),
        ]) {
          await begin(name, { ...response, [idMember]: id });
          const { message } = await outcomeOf(call());
          expect(message.length).toBeLessThan(6_000);
          all.push(...hostileService.requests);
        }
        expect({ id, astray: all.filter((target) => !isAbout(target, collection, id)) }).toEqual({
          id,
          astray: [],
        });
      }
    },
  );

  it.each(["BackupSchedule", "VpsAction"] as const)(
    "in the inputs of a %s leads to no other path",
    async (name) => {
      const field = name === "BackupSchedule" ? "databaseId" : "instanceId";
      const [parent = "", suffix = ""] = CASES[name].collection.split(/\/(?:db|vps)_1\//);
      for (const id of IDS) {
        await begin(name);
        const { inputs, failures } = await handlers[name].check(
          {},
          { ...CASES[name].inputs, [field]: id, __urn: "urn:pulumi:a::b::c::d" },
        );
        if (failures.length === 0)
          await outcomeOf(handlers[name].create({ ...withoutSecretMarks(inputs), __provider: "the text" }));
        for (const target of hostileService.requests) {
          const [, path = ""] = target.split(" ");
          expect([
            `${parent}/${encodeURIComponent(id)}`,
            `${parent}/${encodeURIComponent(id)}/${suffix}`,
          ]).toContain(path);
          expect(decodeURIComponent(path)).not.toMatch(/\.\.[/\\]/);
        }
      }
    },
  );
});
