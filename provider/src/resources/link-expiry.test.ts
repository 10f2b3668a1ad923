import { NotFoundError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import type { Properties } from "../kernel/definition/properties.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { clientOf } from "../kernel/stack/client.js";
import { Scope } from "../kernel/stack/scope.js";
import { Session } from "../kernel/stack/session.js";
import { outputsOf } from "../kernel/state/outputs.js";
import { check, diff, readResource, updateResource } from "../test-support/operations.js";
import { link } from "./link.js";

const config: Record<string, string> = {
  "cloudservices:apiKey": "key",
  "cloudservices:baseUrl": "https://api.test/v1",
};
const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Link::docs";
const expiresAt = "2030-01-01T12:00:00Z";
const minute = 60_000;

/** A link that the service has deleted, some time after its expiry. */
function removed(after: number) {
  const now = Date.parse(expiresAt) + after;
  const settings = readSettings((name) => config[name], {});
  const reporter = { status: () => undefined, warn: () => undefined };
  const clock = { now: () => now, sleep: async () => undefined };
  const session = new Session(settings, clientOf(settings), reporter, clock);
  const notFound = async (): Promise<never> => {
    throw new NotFoundError({ message: "not found", outcome: "rejected" });
  };
  const { list: _, ...unlisted } = link;
  const gone = { read: notFound, update: notFound, delete: notFound, documented: { probe: notFound } };
  const scope = new Scope({ ...unlisted, ...gone }, session);
  const checked = (inputs: Properties, olds: Properties = {}) =>
    check(
      link,
      olds,
      { url: "https://example.com/", slug: "docs", ...inputs, __urn: urn },
      settings,
      session.names,
    ).inputs;
  const inputs = checked({ expiresAt });
  const outputs = {
    ...outputsOf(link, settings, inputs, { id: "link_1", slug: "docs" }, {}, { ready: true }),
    __urn: inputs["__urn"],
  };
  const plan = (held: Properties, change: Properties) =>
    diff(link, held, checked(change, inputs), settings, session.names, now);
  return { scope, outputs, inputs, checked, plan };
}

describe("a link that the service no longer returns", () => {
  it("stays in the state as expired, and is not created again", async () => {
    const { scope, outputs, plan } = removed(minute);
    const found = await readResource(scope, "link_1", outputs);
    expect(found?.outputs).toMatchObject({ expired: true });
    expect(plan(found?.outputs ?? {}, { expiresAt })).toMatchObject({ changes: undefined, replaces: [] });
  });

  it("is deleted when it has not expired", async () => {
    const { scope, outputs } = removed(-minute);
    expect(await readResource(scope, "link_1", outputs)).toBeUndefined();
  });

  it.each([{ expiresAt: "2031-01-01T00:00:00Z" }, {}])(
    "is replaced when its expiry is extended: %j",
    async (change) => {
      const { scope, outputs, plan } = removed(minute);
      const found = await readResource(scope, "link_1", outputs);
      expect(plan(found?.outputs ?? {}, change)).toEqual({
        changes: true,
        changed: ["expiresAt"],
        replaces: ["expired"],
        deleteBeforeReplace: true,
      });
    },
  );

  it("cannot be changed after its expiry, and the message says what to do", async () => {
    const { scope, outputs, checked, inputs } = removed(minute);
    const news = checked({ expiresAt, url: "https://example.com/new" }, inputs);
    await expect(updateResource(scope, "link_1", outputs, news)).rejects.toThrow(
      /Link "docs" \(link_1\) .*\[EXPIRED\].*nothing was updated\./s,
    );
  });
});
