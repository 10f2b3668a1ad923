import { describe, expect, it } from "vitest";
import { ConfigurationError } from "./errors.js";
import { fingerprint, readSettings, unknownSettings } from "./settings.js";

const complete = { apiKey: "key-1", baseUrl: "https://api.example.com/v1" };

const read = (config: Record<string, string>, environment: Record<string, string> = {}) =>
  readSettings((key) => config[key.replace("cloudservices:", "")], environment);

function complaint(config: Record<string, string>, environment: Record<string, string> = {}): string {
  try {
    read(config, environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  throw new Error("It was accepted.");
}

describe("the settings", () => {
  it("come from the stack, and from the environment where it is silent", () => {
    expect(
      read({ apiKey: "of-stack", baseUrl: "https://a.test/v1" }, { CLOUDSERVICES_API_KEY: "of-env" }),
    ).toMatchObject({
      apiKey: "of-stack",
      api: "conventional",
      undeletable: "error",
    });
    const environment = {
      CLOUDSERVICES_API_KEY: "of-env",
      CLOUDSERVICES_BASE_URL: "https://b.test/v1/",
      CLOUDSERVICES_API: "documented",
    };
    expect(read({}, environment)).toMatchObject({
      apiKey: "of-env",
      baseUrl: "https://b.test/v1",
      api: "documented",
    });
  });

  it("tell everything that is missing, and how to set it", () => {
    expect(complaint({})).toMatch(/no API key.*cloudservices:apiKey.*no base URL.*cloudservices:baseUrl/);
  });

  it("refuse plain http to another machine, and take it on this one", () => {
    expect(complaint({ ...complete, baseUrl: "http://api.example.com/v1" })).toContain(
      "plain http to api.example.com",
    );
    for (const baseUrl of ["http://127.0.0.1:4780/v1", "http://localhost:1/v1", "http://[::1]:1/v1"]) {
      expect(read({ ...complete, baseUrl }).baseUrl).toBe(baseUrl);
    }
    expect(complaint({ ...complete, baseUrl: "http://localhost.example.com/v1" })).toContain("plain http");
  });

  it("never repeat the API key", () => {
    const message = complaint({ ...complete, apiKey: "very secret\n" });
    expect(message).toContain("cloudservices:apiKey must be printable");
    expect(message).not.toContain("very");
  });

  it("name the variable where that is where a wrong value came from", () => {
    expect(complaint({ apiKey: "k" }, { CLOUDSERVICES_BASE_URL: "nonsense" })).toMatch(
      /^CLOUDSERVICES_BASE_URL must be .*"nonsense"/,
    );
  });

  it("refuse what is out of bounds", () => {
    expect(complaint({ ...complete, maxRetries: "-1", api: "rest", acceptKeyChange: "yes" })).toMatch(
      /api.*acceptKeyChange.*maxRetries/,
    );
  });

  it("read several former addresses, in both ways of writing a list", () => {
    const expected = ["https://a.test/v1", "https://b.test/v1"];
    expect(
      read({ ...complete, formerBaseUrls: "https://a.test/v1/, https://b.test/v1" }).formerBaseUrls,
    ).toEqual(expected);
    expect(read({ ...complete, formerBaseUrls: JSON.stringify(expected) }).formerBaseUrls).toEqual(expected);
    expect(complaint({ ...complete, formerBaseUrls: "[" })).toContain("formerBaseUrls");
  });

  it("tell keys apart without giving them away", () => {
    const one = fingerprint(read(complete));
    expect(one).toBe(fingerprint(read({ ...complete, baseUrl: "https://moved.example.com/v1" })));
    expect(one).not.toBe(fingerprint(read({ ...complete, apiKey: "key-2" })));
    expect(one).not.toContain("key-1");
  });

  it("do not exist under a misspelt name, and which one was meant is told", () => {
    expect(unknownSettings(["cloudservices:apiKey", "test:apiMode", "aws:region"])).toEqual([]);
    expect(unknownSettings(["cloudservices:undeleteable", "cloudservices:apiMode"])).toEqual([
      expect.stringMatching(
        /^The stack has a setting cloudservices:undeleteable.*did you mean cloudservices:undeletable\?/,
      ),
      expect.stringMatching(
        /cloudservices:apiMode.*there are apiKey, baseUrl, api, .*pulumi config rm cloudservices:apiMode/,
      ),
    ]);
  });
});
