import { NotFoundError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../kernel/definition/properties.js";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { clientOf } from "../kernel/stack/client.js";
import { Scope } from "../kernel/stack/scope.js";
import { Session } from "../kernel/stack/session.js";
import { outputsOf } from "../kernel/state/outputs.js";
import { check, deleteResource, readResource } from "../test-support/operations.js";
import { inbox } from "./inbox.js";

const config: Record<string, string> = {
  "cloudservices:apiKey": "key",
  "cloudservices:baseUrl": "https://api.test/v1",
};
const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Inbox::signup";
const end = Date.parse("2030-01-01T12:00:00.500Z");
const minute = 60_000;

/** An inbox that the service has deleted. Its clock and this machine's differ. */
function gone({ here, there }: { here: number; there: number | undefined }, apiKey = "key") {
  const session = (key: string) => {
    const settings = readSettings((name) => ({ ...config, "cloudservices:apiKey": key })[name], {});
    const reporter = { status: () => undefined, warn: () => undefined };
    const clock = { now: () => here, sleep: async () => undefined };
    return new Session(settings, clientOf(settings), reporter, clock);
  };
  const made = session("key");
  const { inputs } = check(inbox, {}, { ttlMinutes: 10, __urn: urn }, made.settings, made.names);
  const remote = { inboxId: "inbox_1", expiresAt: new Date(end).toISOString() };
  const outputs = outputsOf(inbox, made.settings, inputs, remote, {}, { ready: true });
  const timestamp = there === undefined ? undefined : Math.floor(there / 1_000);
  const notFound = async (): Promise<never> => {
    throw new NotFoundError({ message: "not found", outcome: "rejected", timestamp });
  };
  const { list: _, ...unlisted } = inbox;
  const documented = { probe: notFound };
  const scope = new Scope({ ...unlisted, documented, read: notFound, delete: notFound }, session(apiKey));
  return { scope, outputs };
}

describe("an inbox that the service no longer returns", () => {
  it.each([
    ["has expired by the service's clock", { here: end - minute, there: end + minute }, true],
    ["has expired within the second of the service's time", { here: end - minute, there: end + 100 }, true],
    [
      "is deleted before its expiry, by the service's clock",
      { here: end + minute, there: end - minute },
      false,
    ],
    [
      "has expired by this machine's clock, if the service returns no time",
      { here: end, there: undefined },
      true,
    ],
    [
      "is deleted before its expiry, if the service returns no time",
      { here: end - 1, there: undefined },
      false,
    ],
  ])("%s", async (_what, clocks, expired) => {
    const { scope, outputs } = gone(clocks);
    const found = await readResource(scope, "inbox_1", outputs);
    if (expired) expect(found?.outputs).toMatchObject({ expired: true });
    else expect(found).toBeUndefined();
  });

  it("is deleted with another key when it has expired by the service's clock, and not before", async () => {
    const late = gone({ here: end - minute, there: end + minute }, "another");
    await deleteResource(late.scope, "inbox_1", late.outputs);
    const early = gone({ here: end + minute, there: end - minute }, "another");
    await expect(deleteResource(early.scope, "inbox_1", early.outputs)).rejects.toThrow(/\[KEY_CHANGED\]/);
  });
});

describe("a prefix", () => {
  it.each([
    ["sign.up", []],
    ["sign..up", [expect.stringMatching(/single dots/)]],
  ])("%s must be a valid beginning of a mail address", (prefix, reasons) => {
    const settings = readSettings((name) => config[name], {});
    const { failures } = check(inbox, {}, { prefix, __urn: urn }, settings, new PlannedNames());
    expect(failures.map(({ summary }) => summary)).toEqual(reasons);
  });
});

describe("an expired inbox", () => {
  const past = "2030-01-01T12:00:00Z";
  const now = Date.parse(past) + minute;

  it("is replaced only if the program renews it", () => {
    const renew = { renewExpired: true };
    expect(inbox.mustReplace?.({ expired: true }, renew, now)).toEqual(["expired"]);
    expect(inbox.mustReplace?.({ expiresAt: past }, renew, now)).toEqual(["expired"]);
    expect(inbox.mustReplace?.({ expiresAt: past }, renew, now - 2 * minute)).toEqual([]);
    expect(inbox.mustReplace?.({ expired: true, expiresAt: past }, {}, now)).toEqual([]);
  });

  it("is planned for replacement while it is unknown whether the program renews it", () => {
    expect(inbox.mustReplace?.({ expired: true }, { renewExpired: UNKNOWN }, now)).toEqual(["expired"]);
  });
});

describe("an inbox whose id is unknown", () => {
  const matches = (emailAddress: string | undefined, prefix?: string) =>
    inbox.identity?.matches({ inboxId: "inb_1", emailAddress }, { prefix });

  it("is recognised by the beginning of its address", () => {
    expect(matches("signup-a1b2@mail.test", "signup-a1b2")).toBe(true);
    expect(matches("other@mail.test", "signup")).toBe(false);
    expect(matches(undefined, "signup")).toBe(false);
    expect(matches("signup@mail.test", undefined)).toBe(false);
  });
});
