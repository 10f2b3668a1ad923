import { expect, it } from "vitest";
import type { Kind } from "../kernel/definition/kind.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { clientOf } from "../kernel/stack/client.js";
import { Scope } from "../kernel/stack/scope.js";
import { Session } from "../kernel/stack/session.js";
import { deleteResource } from "../test-support/operations.js";
import { backupSchedule } from "./backup-schedule.js";
import { database } from "./database.js";
import { inbox } from "./inbox.js";
import { link } from "./link.js";
import { vpsInstance } from "./vps-instance.js";
import { webhook } from "./webhook.js";

const config: Record<string, string> = {
  "cloudservices:apiKey": "key",
  "cloudservices:baseUrl": "https://api.test/v1",
  "cloudservices:api": "documented",
  "cloudservices:undeletable": "abandon",
};

/** The warning about a resource that is left at the service. */
async function warningFor<I extends object, R extends object>(kind: Kind<I, R>): Promise<string> {
  const warnings: string[] = [];
  const settings = readSettings((key) => config[key], {});
  const reporter = {
    status: () => undefined,
    warn: (_urn: string | undefined, text: string) => void warnings.push(text),
  };
  const clock = { now: Date.now, sleep: async () => undefined };
  await deleteResource(
    new Scope(kind, new Session(settings, clientOf(settings), reporter, clock)),
    "x_1",
    {},
  );
  expect(warnings).toHaveLength(1);
  return warnings[0] ?? "";
}

it("the warning about a retained resource mentions costs only if there are any", async () => {
  const costs = "It costs money while it exists.";
  expect(await warningFor(database)).toMatch(costs);
  expect(await warningFor(vpsInstance)).toMatch(costs);
  expect(await warningFor(link)).toMatch("it redirects; links are free.");
  expect(await warningFor(inbox)).toMatch("It is free, and the service deletes it when it expires.");
  expect(await warningFor(webhook)).toMatch("While it exists, the service calls its URL.");
  expect(await warningFor(backupSchedule)).toMatch("While it exists, the service makes its backups.");
  expect(await warningFor(link)).not.toMatch("money");
  expect(await warningFor(inbox)).not.toMatch("money");
});
