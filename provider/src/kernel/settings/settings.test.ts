import { AuthenticationError, CloudServices, RouteMissingError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { ConfigurationError, fixesOf } from "../diagnostics/errors.js";
import { readSettings } from "./read-settings.js";
import { setting } from "./setting-change.js";
import { unknownSettings } from "./setting-names.js";

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
  it("come from the stack, with the environment as fallback", () => {
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

  it.each([
    ["CLOUDSERVICES_API_KEY", "of-env", "apiKey", "of-env"],
    ["CLOUDSERVICES_BASE_URL", "https://b.test/v1", "baseUrl", "https://b.test/v1"],
    ["CLOUDSERVICES_API", "documented", "api", "documented"],
    ["CLOUDSERVICES_ADOPT_INTERRUPTED", "true", "adoptInterrupted", true],
  ] as const)("take %s=%s only when the stack does not set it", (variable, given, setting, expected) => {
    const silent = new Map(Object.entries({ ...complete, api: "conventional", adoptInterrupted: "false" }));
    const said = Object.fromEntries(silent);
    silent.delete(setting);
    const environment = { [variable]: given };
    expect(read(Object.fromEntries(silent), environment)[setting]).toBe(expected);
    expect(read(said, environment)[setting]).not.toBe(expected);
  });

  it.each([
    ["undeletable", "abandon", "abandon"],
    ["duplicates", "allow", "allow"],
    ["namespace", "blue", "blue"],
    ["adoptInterrupted", "true", true],
    ["acceptKeyChange", "true", true],
    ["idempotencyKeys", "true", true],
    ["allowUnlisted", "true", true],
    ["maxRetries", "7", 7],
    ["requestTimeout", "1500", 1_500],
    ["pollInterval", "20", 20],
    ["maxConcurrency", "3", 3],
  ] as const)("take %s=%s from the stack, and have their default without it", (setting, given, expected) => {
    expect(read({ ...complete, [setting]: given })[setting]).toBe(expected);
    expect(read(complete)[setting]).not.toBe(expected);
  });

  it("report everything that is missing, and how to set it", () => {
    expect(complaint({})).toMatch(
      /no API key; .*no base URL \[CONFIG_INVALID\].*cloudservices:apiKey.*cloudservices:baseUrl/s,
    );
  });

  it("reject plain http to another machine, and accept it on this one", () => {
    expect(complaint({ ...complete, baseUrl: "http://api.example.com/v1" })).toContain(
      "unencrypted to api.example.com",
    );
    for (const baseUrl of ["http://127.0.0.1:4780/v1", "http://localhost:1/v1", "http://[::1]:1/v1"]) {
      expect(read({ ...complete, baseUrl }).baseUrl).toBe(baseUrl);
    }
    expect(complaint({ ...complete, baseUrl: "http://localhost.example.com/v1" })).toContain("unencrypted");
  });

  it.each([
    "https://api.example.com/v1",
    "https://API.example.com:443/v1//",
    " https://api.example.com ",
    "https://api.example.com/v1?",
    "http://127.1:4780/v1/",
    "http://LOCALHOST:80/v1",
    "http://[0::1]:4780",
    "http://api.localhost:4780/v1",
    "http://localhost.:4780/v1",
    "http://0.0.0.0:4780/v1",
    "ftp://api.example.com/v1",
    "https://api.example.com/v1?tenant=a",
    "api.example.com/v1",
  ])("accept %j as a base URL if the sdk does, with the same spelling", (baseUrl) => {
    let ofSdk: string | undefined;
    try {
      ofSdk = new CloudServices({ apiKey: "k", baseUrl }).baseUrl;
    } catch {
      expect(complaint({ ...complete, baseUrl })).toMatch(
        /: cloudservices:baseUrl .*(Use https|https URL|must have no)/,
      );
      expect(complaint({ ...complete, formerBaseUrls: baseUrl })).toContain("cloudservices:formerBaseUrls");
    }
    if (ofSdk !== undefined) {
      const settings = read({ ...complete, baseUrl, formerBaseUrls: baseUrl });
      expect(settings).toMatchObject({ baseUrl: ofSdk, formerBaseUrls: [ofSdk] });
    }
  });

  // Resources remember this spelling, and states of before must still be equal to it.
  it.each([
    ["https://API.example.com:443/v1//", "https://api.example.com/v1"],
    ["https://api.example.com:8443/Cloud/v1/", "https://api.example.com:8443/Cloud/v1"],
    ["https://bücher.example/v1/", "https://xn--bcher-kva.example/v1"],
    ["https://api.example.com/a/../v1/", "https://api.example.com/v1"],
    ["https://api.example.com/a b/v1", "https://api.example.com/a%20b/v1"],
    ["https://api.example.com", "https://api.example.com"],
    ["http://127.1:4780/v1/", "http://127.0.0.1:4780/v1"],
    ["http://LOCALHOST:80/v1", "http://localhost/v1"],
  ])("normalise the base URL %s to %s", (given, spelt) => {
    expect(read({ ...complete, baseUrl: given }).baseUrl).toBe(spelt);
  });

  it.each([
    "https://user:hunter2@api.example.com/v1",
    "https://a.test/v1?key=hunter2",
    "https://a.test/v1#hunter2",
    "api:hunter2@a.test",
  ])("never repeat what may be a secret in %s", (baseUrl) => {
    expect(complaint({ ...complete, baseUrl })).not.toContain("hunter2");
    expect(complaint({ ...complete, formerBaseUrls: `https://a.test/v1,${baseUrl}` })).not.toContain(
      "hunter2",
    );
  });

  it("never repeat the API key", () => {
    const message = complaint({ ...complete, apiKey: "very secret\n" });
    expect(message).toContain("cloudservices:apiKey must be printable");
    expect(message).not.toContain("very");
  });

  it("name the environment variable that contains an invalid value", () => {
    expect(complaint({ apiKey: "k" }, { CLOUDSERVICES_BASE_URL: "nonsense" })).toMatch(
      /: CLOUDSERVICES_BASE_URL must be .*"nonsense"/,
    );
  });

  it("reject values out of bounds", () => {
    expect(complaint({ ...complete, maxRetries: "-1", api: "rest", acceptKeyChange: "yes" })).toMatch(
      /api.*acceptKeyChange.*maxRetries/,
    );
  });

  it("read several former addresses, with commas or as JSON", () => {
    const expected = ["https://a.test/v1", "https://b.test/v1"];
    expect(
      read({ ...complete, formerBaseUrls: "https://a.test/v1/, https://b.test/v1" }).formerBaseUrls,
    ).toEqual(expected);
    expect(read({ ...complete, formerBaseUrls: JSON.stringify(expected) }).formerBaseUrls).toEqual(expected);
    expect(complaint({ ...complete, formerBaseUrls: "[" })).toContain("formerBaseUrls");
  });

  it("are named by errors of the sdk that they cause, as in every other message", () => {
    const facts = { message: "no", outcome: "rejected", advice: "Check `apiKey`." } as const;
    const changes = (error: Error) =>
      fixesOf(error).flatMap(({ line }) => (typeof line === "string" ? [] : line));
    const baseUrl = { ...setting("baseUrl"), command: expect.stringContaining(setting("baseUrl").command) };
    expect(changes(new AuthenticationError(facts))).toEqual([
      setting("apiKey"),
      expect.stringContaining("CLOUDSERVICES_API_KEY"),
      baseUrl,
    ]);
    expect(changes(new RouteMissingError(facts))).toEqual([baseUrl]);
  });

  it("reject a misspelt name, and suggest the nearest one", () => {
    expect(unknownSettings(["cloudservices:apiKey", "test:apiMode", "aws:region"])).toEqual([]);
    expect(unknownSettings(["cloudservices:undeleteable", "cloudservices:apiMode"])).toEqual([
      {
        code: "CONFIG_INVALID",
        summary: "the stack has a setting cloudservices:undeleteable, which does not exist",
        fixes: [
          { when: "if it is misspelt", line: "cloudservices:undeletable" },
          { when: "to remove it", line: "pulumi config rm cloudservices:undeleteable" },
        ],
      },
      {
        code: "CONFIG_INVALID",
        summary: expect.stringContaining("cloudservices:apiMode"),
        cause: expect.stringMatching(/^there are apiKey, baseUrl, api, /),
        fixes: [{ when: "to remove it", line: "pulumi config rm cloudservices:apiMode" }],
      },
    ]);
  });
});
