import { describe, expect, it } from "vitest";
import { sameUrl, text, webUrl } from "../definition/fields.js";
import type { Kind } from "../definition/kind.js";
import { readSettings } from "../settings/read-settings.js";
import { inputsOfOutputs, outputsOf } from "./outputs.js";

interface Remote {
  id: string;
  url?: string;
  title?: string;
  uri?: string;
  domain?: string;
}

const kind: Kind<{ url: string; title?: string; domain?: string }, Remote> = {
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
};

const config: Record<string, string> = {
  "cloudservices:apiKey": "key",
  "cloudservices:baseUrl": "https://api.test/v1",
};
const settings = readSettings((key) => config[key], {});
const outputs = (held: Record<string, unknown>, remote: Remote | undefined, previous = {}) =>
  outputsOf(kind, settings, held, remote, previous, { ready: true });

describe("pain: a mask from the service overwrites the secret", () => {
  it.each(["********", "••••••", "xxxxx"])("%s does not overwrite the secret", (mask) => {
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

  it("a field that is not secret may look like a mask", () => {
    const held = { url: "https://a.test/", domain: "d.test" };
    expect(outputs(held, { id: "x", domain: "xxxx" })["domain"]).toBe("xxxx");
  });

  it("the specification's <PASSWORD> does not overwrite the secret", () => {
    const before = outputs({ url: "https://a.test/" }, { id: "x", uri: "postgres://u:pw@h/db" });
    expect(
      outputs({ url: "https://a.test/" }, { id: "x", uri: "postgres://u:<PASSWORD>@h/db" }, before)["uri"],
    ).toBe("postgres://u:pw@h/db");
  });
});

describe("pain: diff noise from formats", () => {
  it("keeps the program's spelling when the service's is equivalent", () => {
    expect(outputs({ url: "https://EXAMPLE.com" }, { id: "x", url: "https://example.com/" })["url"]).toBe(
      "https://EXAMPLE.com",
    );
  });
});

describe("pain: the second apply changes values that the service chose", () => {
  it("shows a value that the service chose, and does not treat it as an input", () => {
    const held = { url: "https://a.test/" };
    const after = outputs(held, { id: "x", url: "https://a.test/", domain: "s.test" });
    expect(after["domain"]).toBe("s.test");
    expect(inputsOfOutputs(kind, held, after)).toEqual(held);
  });
});

describe('pain: "Unexpected struct type"', () => {
  it("never passes an undefined value to the engine", () => {
    const after = outputs({ url: "https://a.test/" }, { id: "x" });
    expect(Object.values(after)).not.toContain(undefined);
    expect(JSON.parse(JSON.stringify(after))).toEqual(after);
  });
});

describe("a value that is missing from the response", () => {
  it("is unknown, and stays as it was", () => {
    const before = outputs({ url: "https://a.test/", title: "t" }, { id: "x", uri: "u://a" });
    expect(outputs({ url: "https://a.test/", title: "t" }, { id: "x" }, before)).toMatchObject({
      title: "t",
      uri: "u://a",
    });
  });

  it("is drift when the service returns another one", () => {
    const held = { url: "https://a.test/" };
    const after = outputs(held, { id: "x", url: "https://evil.test/" });
    expect(inputsOfOutputs(kind, held, after)).toEqual({ url: "https://evil.test/" });
  });
});
