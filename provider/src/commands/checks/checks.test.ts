import { operations } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { engineVersion } from "../../../../tools/engine/version.mjs";
import { readSettings } from "../../kernel/settings/read-settings.js";
import { type ResourceState, stateOf } from "../../kernel/state/resource-state.js";
import { withStateText } from "../../kernel/state/state-text.js";
import { link } from "../../resources/link.js";
import { satisfies } from "./check.js";
import { ENGINE, runtimeIn } from "./packages.js";
import { proxyChecks } from "./proxy.js";
import { clockCheck, probes, routeChecks } from "./service.js";
import { settingsCheck } from "./settings.js";
import { stateChecks } from "./state.js";

const config = {
  "cloudservices:apiKey": { value: "canary-of-the-key", secret: true },
  "cloudservices:baseUrl": { value: "https://api.example.com/v1" },
};
const settings = readSettings((key) => new Map(Object.entries(config)).get(key)?.value, {});

it.each([
  ["v3.220.0", "3.220.0", true],
  ["3.99.1", "3.220.0", false],
  ["20.18.1", ">=20.18.1", true],
  ["20.9.0", ">=20.18.1", false],
  ["24.0.0", "^22.1", false],
  ["24.0.0", "^22.1 || >=23", true],
  ["22.0.0", "^22.1 || >=23", false],
  ["4.0.0", "^3.220", false],
])("version %s satisfies %s: %s", (version, range, expected) => {
  expect(satisfies(version, range)).toBe(expected);
});

it("the oldest engine is the one that the tests run with", () => {
  expect(ENGINE).toBe(engineVersion);
});

it.each([
  ["name: shop\nruntime: python\n", "python"],
  ["runtime: 'go' # a comment\n", "go"],
  ["runtime:\n  options:\n    packagemanager: npm\n\n  name: nodejs\nname: shop\n", "nodejs"],
  ["runtime: { name: dotnet, options: {} }\n", "dotnet"],
  ["name: shop\ndescription: a runtime: python\n", undefined],
])("the language of a project is read from %j: %s", (text, expected) => {
  expect(runtimeIn(text)).toBe(expected);
});

describe("the settings", () => {
  it("are shown without the key", () => {
    const { settings: read, checks } = settingsCheck(config, {});
    expect(read).toEqual(settings);
    expect(checks.map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(JSON.stringify(checks)).not.toContain("canary");
  });

  it("are each reported with a fix when they are missing, misspelt or in plain text", () => {
    expect(settingsCheck({}, {}).checks.map(({ fix }) => fix)).toEqual([
      "pulumi config set --secret cloudservices:apiKey, or the environment variable CLOUDSERVICES_API_KEY",
      "pulumi config set cloudservices:baseUrl https://…/v1, or the environment variable CLOUDSERVICES_BASE_URL",
    ]);
    const invalid = { ...config, "cloudservices:baseUrl": { value: "nowhere" } };
    expect(settingsCheck(invalid, {}).checks).toMatchObject([
      { status: "failed", fix: "pulumi config set cloudservices:baseUrl <value>" },
    ]);
    const odd = {
      ...config,
      "cloudservices:apiKey": { value: "canary-of-the-key" },
      "cloudservices:apikey": {},
    };
    expect(settingsCheck(odd, {}).checks).toMatchObject([
      { status: "failed", fix: "pulumi config rm cloudservices:apikey" },
      { name: "apiKey", status: "warning", fix: "pulumi config set --secret cloudservices:apiKey" },
      { name: "baseUrl", status: "ok" },
    ]);
  });
});

describe("the clock", () => {
  const header = "Tue, 05 Jan 2027 12:00:00 GMT";
  const at = (seconds: number) => clockCheck(header, Date.parse(header) + seconds * 1_000);

  it("may differ by a minute", () => {
    expect(at(59)).toMatchObject({ status: "ok" });
    expect(at(90)).toMatchObject({ status: "warning", fact: "this machine is 90 s ahead of the service" });
    expect(at(-90)).toMatchObject({ status: "warning", fact: "this machine is 90 s behind the service" });
    expect(clockCheck(undefined, 0)).toMatchObject({ status: "skipped" });
  });
});

describe("the proxy", () => {
  it("is shown by variable, without its address", () => {
    const environment = { HTTPS_PROXY: "http://user:canary@proxy.test" };
    expect(proxyChecks(environment, true)).toEqual([
      { name: "proxy", status: "ok", fact: "HTTPS_PROXY: the service is reached through it" },
    ]);
    expect(proxyChecks({}, false)).toEqual([{ name: "proxy", status: "ok", fact: "none" }]);
  });

  it("fails in lower case without an exception for this machine", () => {
    const https_proxy = "http://proxy.test";
    expect(proxyChecks({ https_proxy }, false)).toMatchObject([
      { status: "failed", fix: `export no_proxy="127.0.0.1,localhost\${NO_PROXY:+,$NO_PROXY}"` },
    ]);
    expect(proxyChecks({ https_proxy, no_proxy: "a.test" }, false)).toMatchObject([
      { status: "failed", fix: 'export no_proxy="127.0.0.1,localhost,$no_proxy"' },
    ]);
    expect(proxyChecks({ https_proxy, no_proxy: "localhost,127.0.0.1" }, false)).toMatchObject([
      { status: "ok" },
    ]);
  });

  it("fails with a file of certificates that does not exist", () => {
    expect(proxyChecks({ NODE_EXTRA_CA_CERTS: "/no/such/file" }, false)).toMatchObject([
      { status: "ok" },
      { name: "certificates", status: "failed" },
    ]);
    expect(proxyChecks({ NODE_EXTRA_CA_CERTS: "" }, false)).toMatchObject([{ status: "ok" }]);
  });
});

describe("the routes", () => {
  it("are asked for with GET only, and all that read are", () => {
    const reading = operations.filter(({ basis, method }) => basis === "assumed" && method === "GET");
    expect(Object.keys(probes).sort()).toEqual(reading.map(({ call }) => call).sort());
  });

  it("are named when they are missing", () => {
    const checks = routeChecks([
      { method: "GET", path: "/a", status: "present" },
      { method: "GET", path: "/b", status: "missing" },
      { method: "DELETE", path: "/b", status: "not asked" },
    ]);
    expect(checks).toMatchObject([
      { status: "warning", fact: expect.stringMatching(/^1 of 2 .* 1 that change/) },
      { status: "warning", fact: "GET /b: missing" },
    ]);
  });
});

describe("the state", () => {
  const resource = (changes: Partial<ResourceState>, form = "pulumi-nodejs:dynamic/cloudservices:Link") => ({
    type: form,
    urn: "urn",
    outputs: withStateText(link, {
      __state: { ...stateOf(settings, { given: [], ready: true }), ...changes },
    }),
  });

  it("fits this version, service and key", () => {
    const resources = [
      resource({}),
      resource({}, "cloudservices:index:Link"),
      { type: "pulumi:pulumi:Stack", urn: "u" },
    ];
    expect(stateChecks({ resources, pending: 0 }, settings)).toMatchObject([
      { status: "ok", fact: "2 resources, format 1" },
    ]);
  });

  it("is not called sound where it cannot be read", () => {
    const encrypted = {
      type: "cloudservices:index:Webhook",
      urn: "u",
      outputs: { __state: { "4dabf18193072939515e22adb298388d": "x" } },
    };
    expect(stateChecks({ resources: [encrypted], pending: 0 }, settings)).toMatchObject([
      { status: "skipped", fact: expect.stringContaining("0 of 1 resources readable") },
    ]);
    expect(stateChecks({ resources: [encrypted, resource({})], pending: 0 }, settings)).toMatchObject([
      { status: "ok", fact: expect.stringContaining("1 of 2 resources readable") },
    ]);
    expect(stateChecks({ resources: [], pending: 0 }, settings)).toMatchObject([
      { status: "ok", fact: "0 resources, format 1" },
    ]);
  });

  it("is reported when it does not", () => {
    const resources = [
      resource({ version: 2 }),
      resource({ baseUrl: "https://other.example.com/v1" }),
      resource({ key: "0123" }),
      {
        type: "cloudservices:index:Webhook",
        urn: "u",
        outputs: { __state: { "4dabf18193072939515e22adb298388d": "x" } },
      },
    ];
    expect(stateChecks({ resources, pending: 3 }, settings)).toMatchObject([
      { status: "failed", fix: "install that version" },
      { status: "warning", fact: "3 operations of an interrupted run are pending" },
      { status: "failed", fact: "1 resources belong to https://other.example.com/v1" },
      { status: "warning", fact: "1 resources were last seen with another API key" },
    ]);
  });
});
