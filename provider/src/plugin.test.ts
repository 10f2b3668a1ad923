import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import {
  CheckRequest,
  ConfigureRequest,
  DiffRequest,
  DiffResponse,
  InvokeRequest,
  PropertyDiff,
  UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import { describe, expect, it } from "vitest";
import type { Properties } from "./kernel/definition/properties.js";
import { fromStruct, toStruct } from "./kernel/engine/grpc.js";
import { serviceOf } from "./kernel/engine/native/service.js";
import { received, withSecrets } from "./kernel/engine/wire-values.js";
import { VERSION } from "./kernel/stack/version.js";
import { provider } from "./plugin-provider.js";

/*
 * The calls of the engine's protocol, without the engine. No test sends a request.
 */

const settings = { baseUrl: "https://api.test/v1", apiKey: "sk_live_of_this_test" };
const urnOf = (kind: string, name = "it") => `urn:pulumi:dev::shop::cloudservices:index:${kind}::${name}`;
const ofProvider = "urn:pulumi:dev::shop::pulumi:providers:cloudservices::eu";

/** A service with one configuration. */
function configured() {
  const service = serviceOf(provider, undefined);
  service.configure(configuration(settings));
  return service;
}

function configuration(args: Properties): ConfigureRequest {
  const request = new ConfigureRequest();
  request.setUrn(ofProvider);
  request.setArgs(toStruct(args));
  return request;
}

function checkRequest(urn: string, news: Properties, olds: Properties = {}): CheckRequest {
  const request = new CheckRequest();
  request.setUrn(urn);
  request.setNews(toStruct(news));
  request.setOlds(toStruct(olds));
  return request;
}

describe("the arguments of a provider", () => {
  /** A failure with a property would show its value. */
  const rejected = (news: Properties) =>
    serviceOf(provider, undefined)
      .checkConfig(checkRequest(ofProvider, news))
      .getFailuresList()
      .map((failed) => failed.getProperty() + failed.getReason());

  it("are accepted as strings or JSON, with those of the engine", () => {
    expect(
      rejected({
        ...settings,
        version: VERSION,
        allowUnlisted: "true",
        formerBaseUrls: '["https://a.test/v1"]',
      }),
    ).toEqual([]);
  });

  it.each([
    ["an invalid one", { ...settings, baseUrl: "ftp://a.test" }, /baseUrl must be an absolute https URL/],
    [
      "a missing one",
      { baseUrl: settings.baseUrl },
      /there is no API key.*apiKey in the arguments of the provider "eu"/s,
    ],
    ["a misspelt one", { ...settings, adoptInterupted: "true" }, /adoptInterupted.*adoptInterrupted/s],
    ["classes of another version", { ...settings, version: "9.9.9" }, /9\.9\.9.*install one version/s],
  ])("%s is rejected by its name", (_what, news, reason) => {
    expect(rejected(news)).toEqual([expect.stringMatching(reason)]);
  });

  it("are rejected without a value that may be secret", () => {
    const [reason] = rejected({ baseUrl: "https://user:pass-4711@a.test/v1", apiKey: "key-4711\n" });
    expect(reason).toMatch(/apiKey must be.*baseUrl must have no user/s);
    expect(reason).not.toContain("4711");
  });

  it("unknown ones are not judged", () => {
    const unknown = toStruct({ ...settings });
    expect(
      rejected(fromStruct(toStruct(withSecrets({ ...fromStruct(unknown), apiKey: UNKNOWN_KEY }, new Set())))),
    ).toEqual([]);
  });
});

const UNKNOWN_KEY = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

describe("a process of the plugin", () => {
  it("serves one account, until it is attached to another run", async () => {
    const service = configured();
    await service.configure(configuration(settings));
    const other = { ...settings, apiKey: "another" };
    await expect(service.configure(configuration(other))).rejects.toMatchObject({
      message: expect.stringMatching(/serves another provider.*CONFIG_INVALID/s),
    });
    service.attach(new PluginAttach());
    await service.configure(configuration(other));
  });

  it("names what it does not know", async () => {
    const service = configured();
    await expect(service.check(checkRequest(urnOf("Bucket"), {}))).rejects.toMatchObject({
      message: expect.stringMatching(/no resource type "cloudservices:index:Bucket".*upgrade/),
    });
    const call = new InvokeRequest();
    call.setTok("cloudservices:index:getNothing");
    await expect(service.invoke(call)).rejects.toMatchObject({
      message: expect.stringMatching(/getNothing/),
    });
  });

  it("has the version and the schema of the package", () => {
    const service = serviceOf(provider, undefined);
    expect(service.getPluginInfo().getVersion()).toBe(VERSION);
    expect(JSON.parse(service.getSchema().getSchema())).toMatchObject({ name: "cloudservices" });
  });

  it("runs functions without a request where they need none, and rejects arguments by name", async () => {
    const service = configured();
    const call = new InvokeRequest();
    call.setTok("cloudservices:index:estimateCost");
    call.setArgs(toStruct({ vps: [{ plan: "vps-micro-1", count: 2 }] }));
    expect(fromStruct((await service.invoke(call)).getReturn())).toMatchObject({
      monthlyUsd: expect.any(Number),
    });
    call.setArgs(toStruct({ vsp: [] }));
    const [failed] = (await service.invoke(call)).getFailuresList();
    expect([failed?.getProperty(), failed?.getReason()]).toEqual([
      "vsp",
      expect.stringMatching(/did you mean "vps"/),
    ]);
  });
});

describe("check", () => {
  it("fills defaults and derived names, and keeps the marks of secrets", async () => {
    const service = configured();
    const secretUrl = withSecrets({ url: "https://example.com/hidden-token-1" }, new Set(["url"]));
    const inputs = fromStruct(
      (await service.check(checkRequest(urnOf("Link"), { ...secretUrl, passcode: "open" }))).getInputs(),
    );
    expect(received(inputs)).toMatchObject({
      url: "https://example.com/hidden-token-1",
      slug: expect.stringMatching(/^\w{6}$/),
    });
    expect(inputs).toMatchObject(secretUrl);
    expect(inputs["passcode"]).not.toBe("open");
    expect(Object.keys(inputs)).not.toContain("__urn");
  });

  it("reports all invalid inputs at once, without a secret", async () => {
    const service = configured();
    const news = withSecrets({ url: "not a hidden-token-2 url", slgu: "x" }, new Set(["url"]));
    const failures = (
      await service.check(checkRequest(urnOf("Link"), { ...news, customTimeouts: { create: "1m" } }))
    ).getFailuresList();
    const text = failures.map((failed) => failed.getReason()).join("\n");
    expect(text).toMatch(/no input "slgu".*url must be an absolute URL.*no input "customTimeouts"/s);
    expect(text).not.toContain("hidden-token-2");
  });
});

const link = {
  url: "https://example.com/a",
  slug: "docs",
  domain: "s.test",
  shortUrl: "https://s.test/docs",
  qrCodeUrl: "https://s.test/docs.svg",
  clicksCount: 3,
  createdAt: "2026-01-01T00:00:00Z",
  expired: false,
  __state: {
    version: 1,
    baseUrl: "https://api.test/v1",
    key: "k",
    given: ["url", "slug"],
    ready: true,
    everReady: true,
  },
};

function diffRequest(
  news: Properties,
  olds: Properties = link,
  inputs: Properties = { url: link.url, slug: "docs" },
) {
  const request = new DiffRequest();
  request.setUrn(urnOf("Link"));
  request.setId("lnk_1");
  request.setOlds(toStruct(olds));
  request.setOldInputs(toStruct(inputs));
  request.setNews(toStruct(news));
  return request;
}

describe("diff", () => {
  const { Kind } = PropertyDiff;

  it("names the kind of each change", async () => {
    const response = await configured().diff(
      diffRequest({ url: "https://example.com/b", slug: "other", title: "New" }),
    );
    expect(response.getChanges()).toBe(DiffResponse.DiffChanges.DIFF_SOME);
    expect(response.getReplacesList()).toEqual(["slug"]);
    const kinds = response
      .getDiffsList()
      .map((name) => [name, response.getDetaileddiffMap().get(name)?.getKind()]);
    expect(Object.fromEntries(kinds)).toEqual({
      url: Kind.UPDATE,
      slug: Kind.UPDATE_REPLACE,
      title: Kind.ADD,
    });
  });

  it("finds no change in another spelling, or in what only the dynamic provider stores", async () => {
    const olds = {
      ...link,
      __urn: "urn:of:the:dynamic",
      __provider: "text",
      customTimeouts: { create: "1h" },
    };
    const response = await configured().diff(
      diffRequest({ url: "HTTPS://example.com/a", slug: "docs" }, olds),
    );
    expect(response.getChanges()).toBe(DiffResponse.DiffChanges.DIFF_NONE);
    expect(response.getDiffsList()).toEqual([]);
  });
});

describe("the preview of an update", () => {
  const previewed = async (news: Properties, olds: Properties = link) => {
    const request = new UpdateRequest();
    request.setUrn(urnOf("Link"));
    request.setId("lnk_1");
    request.setOlds(toStruct(olds));
    request.setOldInputs(toStruct({ url: link.url, slug: "docs" }));
    request.setNews(toStruct(news));
    request.setPreview(true);
    return fromStruct((await configured().update(request)).getProperties());
  };

  it("keeps what the update does not change, and does not know what it may change", async () => {
    expect(await previewed({ url: "https://example.com/b", slug: "docs" })).toMatchObject({
      url: "https://example.com/b",
      domain: "s.test",
      shortUrl: "https://s.test/docs",
      clicksCount: UNKNOWN_KEY,
    });
  });

  it("knows nothing of a resource that is not ready", async () => {
    const unfinished = { ...link, __state: { ...link.__state, ready: false } };
    expect(await previewed({ url: link.url, slug: "docs" }, unfinished)).toMatchObject({
      shortUrl: UNKNOWN_KEY,
    });
  });
});
