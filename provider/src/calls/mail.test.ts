import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { waitForMessage, waitForMessageOutput } from "./mail.js";

const mocks = { newResource: () => ({ id: "x", state: {} }), call: () => ({}) };

// Nothing is configured, so a request, or the wish for one, would fail.
describe("waiting for mail in a preview", () => {
  beforeAll(() => pulumi.runtime.setMocks(mocks, "test", "dev", true));

  it("returns at once without a request", async () => {
    expect(await waitForMessage({ inboxId: "inbox_1" })).toBeUndefined();
  });

  it("returns an unknown, secret output", async () => {
    const waited = waitForMessageOutput({ inboxId: "inbox_1" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await pulumi.isSecret(waited)).toBe(true);
    let called = false;
    const applied = waited.otpCode.apply((code) => {
      called = true;
      return code;
    });
    expect(await pulumi.isSecret(applied)).toBe(true);
    expect(called).toBe(false);
  });

  it("still reports invalid arguments", async () => {
    const wrong = { inboxId: "inbox_1", since: "yesterday", timeout: "soon" };
    await expect(waitForMessage(wrong)).rejects.toThrow(
      /since must be an ISO 8601 time .*; timeout must be a duration such as "90s"/,
    );
  });
});
