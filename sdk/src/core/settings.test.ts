import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { MockAgent } from "undici";
import { describe, expect, it } from "vitest";
import { CloudServices } from "../client.js";
import { ConfigurationError } from "./errors.js";
import { logToStderr } from "./log.js";
import { type ClientOptions, readSettings } from "./settings.js";
import { VERSION } from "./version.js";

const given = { apiKey: "k", baseUrl: "https://api.example.com/v1" };

describe("the options of a client", () => {
  it("have defaults for everything but key and address", () => {
    expect(readSettings(given, {})).toMatchObject({
      maxRetries: 3,
      timeout: 60_000,
      deadline: 600_000,
      maxConcurrency: 16,
      pollInterval: 1_000,
      idempotencyKeys: false,
      documentedOnly: false,
      logLevel: "warn",
    });
  });

  it("read key and address from the environment", () => {
    const environment = {
      CLOUDSERVICES_API_KEY: "from-env",
      CLOUDSERVICES_BASE_URL: "https://env.example.com/v1",
    };
    expect(readSettings({}, environment)).toMatchObject({
      apiKey: "from-env",
      baseUrl: { href: "https://env.example.com/v1" },
    });
    expect(readSettings(given, environment)).toMatchObject({ apiKey: "k" });
  });

  it("leave proxies to the runtime with `fetch`, and reject a dispatcher beside it", () => {
    const environment = { HTTPS_PROXY: "http://proxy.test:3128" };
    expect(readSettings(given, environment).proxy).toBe("http://proxy.test:3128");
    expect(readSettings({ ...given, fetch }, environment)).toMatchObject({ fetch, proxy: undefined });
    const both = { ...given, fetch, dispatcher: new MockAgent() };
    expect(() => readSettings(both, {})).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_INVALID", field: "fetch" }),
    );
  });

  it.each<[string, ClientOptions]>([
    ["no key", { baseUrl: given.baseUrl }],
    ["no address", { apiKey: "k" }],
    ["a negative timeout", { ...given, timeout: -1 }],
    ["a timeout beyond what a timer holds", { ...given, timeout: 2 ** 31 }],
    ["a deadline without end", { ...given, deadline: Number.POSITIVE_INFINITY }],
    ["a broken number of retries", { ...given, maxRetries: 1.5 }],
    ["no concurrency", { ...given, maxConcurrency: 0 }],
    ["a user agent with a line break", { ...given, userAgent: "x\r\ny: z" }],
  ])("are rejected before anything is sent: %s", (_, options) => {
    expect(() => readSettings(options, {})).toThrow(ConfigurationError);
  });

  it("are rejected by name when unknown", () => {
    expect(() => readSettings(Object.assign({ maxRetrys: 3 }, given), {})).toThrow(
      'The client options are not valid: there is no option "maxRetrys".',
    );
    const misspelt = Object.assign({ baseURL: given.baseUrl, timeout: -1 }, { apiKey: "k" });
    expect(() => readSettings(misspelt, {})).toThrow(
      expect.objectContaining({
        message:
          "The client options are not valid: timeout: expected more than 0 milliseconds; " +
          'there is no option "baseURL".',
        advice: "Did you mean `baseUrl`?",
        field: "timeout",
      }),
    );
  });

  it("do not show the key when a client is inspected or serialised", () => {
    const client = new CloudServices({ ...given, apiKey: "sk_live_1" });
    expect(inspect(client, { depth: 10, showHidden: true }) + JSON.stringify(client)).not.toContain(
      "sk_live_1",
    );
    expect(client.baseUrl).toBe("https://api.example.com/v1");
  });

  it("send the version in package.json as user agent, after the caller's own", () => {
    const manifest: unknown = JSON.parse(
      readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
    );
    expect(manifest).toMatchObject({ version: VERSION });
    const { userAgent } = readSettings({ ...given, userAgent: "my-app/1.2" }, {});
    expect(userAgent).toBe(`my-app/1.2 cloudservices-sdk/${VERSION} node/${process.versions.node}`);
  });
});

describe("CLOUDSERVICES_LOG", () => {
  it("sets the level and logs to stderr, unless the options say otherwise", () => {
    const environment = { CLOUDSERVICES_LOG: "debug" };
    expect(readSettings(given, {})).toMatchObject({ logLevel: "warn", logger: undefined });
    expect(readSettings(given, environment)).toMatchObject({ logLevel: "debug", logger: logToStderr });
    const options = { ...given, logger: console, logLevel: "info" } as const;
    expect(readSettings(options, environment)).toMatchObject({ logLevel: "info", logger: console });
  });

  it("must be a level", () => {
    expect(() => readSettings(given, { CLOUDSERVICES_LOG: "loud" })).toThrow(
      "The environment variable CLOUDSERVICES_LOG is not a log level.",
    );
  });
});
