import { describe, expect, it } from "vitest";
import { sameUrl, text, webUrl } from "../definition/fields.js";
import { defineKind } from "../definition/kind.js";
import { readSettings } from "../settings/settings.js";
import { inputsOfOutputs, outputsOf } from "./outputs.js";

interface Remote {
  id: string;
  url?: string;
  title?: string;
  uri?: string;
  domain?: string;
}

const kind = defineKind<{ url: string; title?: string; domain?: string }, { uri: string }, Remote>({
  name: "Thing",
  inputs: {
    url: { schema: webUrl(), onChange: "update", isEquivalent: sameUrl, from: (remote) => remote.url },
    title: {
      schema: text(),
      onChange: "update",
      optional: true,
      secret: true,
      from: (remote) => remote.title,
    },
    domain: { schema: text(), onChange: "replace", optional: true, from: (remote) => remote.domain },
  },
  outputs: { uri: { from: (remote) => remote.uri, secret: true } },
  timeouts: { create: 1, update: 1, delete: 1 },
  id: (remote) => remote.id,
  create: async () => ({ id: "x" }),
  read: async () => ({ id: "x" }),
  delete: async () => undefined,
});

const config: Record<string, string> = {
  "cloudservices:apiKey": "key",
  "cloudservices:baseUrl": "https://api.test/v1",
};
const settings = readSettings((key) => config[key], {});
const outputs = (held: Record<string, unknown>, remote: Remote | undefined, previous = {}) =>
  outputsOf(kind, settings, held, remote, previous, { ready: true });

describe("pain: the service reads a secret back masked, and the mask is written over the secret", () => {
  it.each(["********", "••••••", "xxxxx"])("%s is no value", (mask) => {
    const before = outputs(
      { url: "https://a.test/", title: "hush" },
      { id: "x", uri: "postgres://u:pw@h/db" },
    );
    const after = outputs(
      { url: "https://a.test/", title: "hush" },
      { id: "x", title: mask, uri: `postgres://u:${mask}${mask}@h/db` },
      before,
    );
    expect(after["title"]).toBe("hush");
    if (!mask.startsWith("x")) expect(after["uri"]).toBe("postgres://u:pw@h/db");
  });

  it("but a field that is no secret may well look like a mask", () => {
    const held = { url: "https://a.test/", domain: "d.test" };
    expect(outputs(held, { id: "x", domain: "xxxx" })["domain"]).toBe("xxxx");
  });

  it("the specification's own <PASSWORD> is none either", () => {
    const before = outputs({ url: "https://a.test/" }, { id: "x", uri: "postgres://u:pw@h/db" });
    expect(
      outputs({ url: "https://a.test/" }, { id: "x", uri: "postgres://u:<PASSWORD>@h/db" }, before)["uri"],
    ).toBe("postgres://u:pw@h/db");
  });
});

describe("pain: diff noise from formats", () => {
  it("keeps the program's spelling where the service says the same in another", () => {
    expect(outputs({ url: "https://EXAMPLE.com" }, { id: "x", url: "https://example.com/" })["url"]).toBe(
      "https://EXAMPLE.com",
    );
  });
});

describe("pain: the second apply wants to change what the service filled in", () => {
  it("shows what the service chose, and does not take it for an input", () => {
    const held = { url: "https://a.test/" };
    const after = outputs(held, { id: "x", url: "https://a.test/", domain: "s.test" });
    expect(after["domain"]).toBe("s.test");
    expect(inputsOfOutputs(kind, held, after)).toEqual(held);
  });
});

describe('pain: "Unexpected struct type"', () => {
  it("never hands the engine an undefined value", () => {
    const after = outputs({ url: "https://a.test/" }, { id: "x" });
    expect(Object.values(after)).not.toContain(undefined);
    expect(JSON.parse(JSON.stringify(after))).toEqual(after);
  });
});

describe("what an answer leaves out", () => {
  it("is unknown, and stays as it was", () => {
    const before = outputs({ url: "https://a.test/", title: "t" }, { id: "x", uri: "u://a" });
    expect(outputs({ url: "https://a.test/", title: "t" }, { id: "x" }, before)).toMatchObject({
      title: "t",
      uri: "u://a",
    });
  });

  it("is drift where the service says otherwise", () => {
    const held = { url: "https://a.test/" };
    const after = outputs(held, { id: "x", url: "https://evil.test/" });
    expect(inputsOfOutputs(kind, held, after)).toEqual({ url: "https://evil.test/" });
  });
});
