import { describe, expect, it } from "vitest";
import { isEquivalent } from "../kernel/definition/changes.js";
import type { Properties } from "../kernel/definition/properties.js";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { check } from "../test-support/operations.js";
import { settings } from "../test-support/plan.js";
import { webhook } from "./webhook.js";

const backups = {
  url: "https://example.com/hooks",
  events: ["database.backup.completed", "vps.snapshot.completed"],
  secret: "whsec_1",
};
const checked = (change: Properties) =>
  check(webhook, {}, { ...backups, ...change }, settings, new PlannedNames());

describe("the events of a webhook", () => {
  it("ignore order and repetition", () => {
    const { events } = webhook.inputs;
    const [first = "", second = ""] = backups.events;
    expect(isEquivalent(events, backups.events, [second, first, second])).toBe(true);
    expect(isEquivalent(events, backups.events, [first])).toBe(false);
  });

  it("name at least one event", () => {
    expect(checked({ events: [] }).failures).toEqual([
      { code: "INPUT_INVALID", summary: expect.stringContaining("must name at least one event") },
    ]);
  });

  it("may be unlisted, with a warning, unless they look misspelt", () => {
    const unlisted = checked({ events: ["link.clicked.twice"] });
    expect(unlisted.failures).toEqual([]);
    expect(unlisted.notes).toEqual([expect.stringContaining("link.clicked.twice")]);
    expect(checked({ events: ["database.backup.complete"] }).failures).toEqual([
      expect.objectContaining({
        code: "INPUT_UNLISTED",
        cause: expect.stringContaining("database.backup.completed"),
      }),
    ]);
  });
});

describe("the URL of a webhook", () => {
  it("ignores the case of its host, not of its path", () => {
    const { url } = webhook.inputs;
    expect(isEquivalent(url, backups.url, "HTTPS://Example.com/hooks")).toBe(true);
    expect(isEquivalent(url, backups.url, "https://example.com/Hooks")).toBe(false);
  });

  it("uses TLS except on this machine", () => {
    expect(checked({ url: "http://127.0.0.1:8080/hooks" }).failures).toEqual([]);
    expect(checked({ url: "http://example.com/hooks" }).failures).toHaveLength(1);
  });
});

describe("a webhook whose id is unknown", () => {
  const matches = (remote: object) => webhook.identity?.matches(remote, backups);

  it("is recognised by its URL and its events together", () => {
    expect(matches({ url: backups.url, events: backups.events.toReversed() })).toBe(true);
    expect(matches({ url: backups.url, events: ["vps.snapshot.completed"] })).toBe(false);
    expect(matches({ url: "https://example.com/other", events: backups.events })).toBe(false);
  });

  it("is not recognised in a response that lacks either", () => {
    expect(matches({ url: backups.url })).toBe(false);
    expect(matches({ events: backups.events })).toBe(false);
  });
});
