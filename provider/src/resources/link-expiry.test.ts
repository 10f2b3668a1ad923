import { NotFoundError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { check } from "../kernel/check.js";
import { clientOf } from "../kernel/client.js";
import { diff } from "../kernel/diff.js";
import { update } from "../kernel/lifecycle.js";
import { outputsOf } from "../kernel/outputs.js";
import { read } from "../kernel/refresh.js";
import { Scope } from "../kernel/scope.js";
import { Session } from "../kernel/session.js";
import { readSettings } from "../kernel/settings.js";
import type { Values } from "../kernel/values.js";
import { link } from "./link.js";

const config: Record<string, string> = {
  "cloudservices:apiKey": "key",
  "cloudservices:baseUrl": "https://api.test/v1",
};
const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Link::docs";
const expiresAt = "2030-01-01T12:00:00Z";
const minute = 60_000;

/** A link of which the service knows nothing any more, some time after its end. */
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
  const checked = (inputs: Values, olds: Values = {}) =>
    check(
      link,
      olds,
      { url: "https://example.com/", slug: "docs", ...inputs, __urn: urn },
      settings,
      session.names,
    ).inputs;
  const inputs = checked({ expiresAt });
  const outputs = outputsOf(link, settings, inputs, { id: "link_1", slug: "docs" }, {}, { settled: true });
  const plan = (held: Values, change: Values) =>
    diff(link, held, checked(change, inputs), settings, session.names, now);
  return { scope, outputs, inputs, checked, plan };
}

describe("a link that the service no longer knows", () => {
  it("stays in the state as expired, and is not created again with an end in the past", async () => {
    const { scope, outputs, plan } = removed(minute);
    const found = await read(scope, "link_1", outputs);
    expect(found?.outputs).toMatchObject({ expired: true });
    expect(plan(found?.outputs ?? {}, { expiresAt })).toMatchObject({ changes: undefined, replaces: [] });
  });

  it("is gone when it has not reached its end", async () => {
    const { scope, outputs } = removed(-minute);
    expect(await read(scope, "link_1", outputs)).toBeUndefined();
  });

  it.each([{ expiresAt: "2031-01-01T00:00:00Z" }, {}])(
    "is replaced once it is to live on: %j",
    async (change) => {
      const { scope, outputs, plan } = removed(minute);
      const found = await read(scope, "link_1", outputs);
      expect(plan(found?.outputs ?? {}, change)).toEqual({
        changes: true,
        replaces: ["expired"],
        deleteBeforeReplace: true,
      });
    },
  );

  it("cannot be changed after its end, and the message says what to do", async () => {
    const { scope, outputs, checked, inputs } = removed(minute);
    const news = checked({ expiresAt, url: "https://example.com/new" }, inputs);
    await expect(update(scope, "link_1", outputs, news)).rejects.toThrow(
      /Link "docs" \(link_1\) has expired, and the service no longer has it\. Nothing was changed\./,
    );
  });
});
