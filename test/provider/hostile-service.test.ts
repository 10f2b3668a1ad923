import { describe, expect, it } from "vitest";
import { bodies, body, hostileService, inProcess } from "../support/hostile-service.js";

/** MiB, as the issue of memory has it for the whole provider. The process starts at some 100. */
const MOST = 250;

const link = { url: "https://example.com/", slug: "docs" };
const urn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/cloudservices:Link::docs";

/** What the error says of each body. */
const said: Readonly<Record<string, RegExp>> = {
  "an endless body": /larger than/,
  "a body of 1 GB": /larger than/,
  "a gzip bomb": /is not a JSON object/,
  "60 MB of small objects": /larger than/,
  "three million levels": /larger than/,
  "ten thousand levels in a member that is not known": /fewer levels of nesting/,
};

describe("a hostile service costs the provider bounded memory and one clear error", () => {
  it.each(Object.keys(bodies))("when a link is read: %s", async (name) => {
    const respond = bodies[name];
    if (!respond) throw new Error(name);
    const service = await hostileService(respond);
    const state = JSON.stringify(["lnk_1", { ...link, __urn: urn }]);
    const { ok, error, peak, seconds } = await inProcess("hook.cjs", service.baseUrl, "Link", "read", state);
    expect({ ok, error }).toEqual({ error: expect.stringMatching(said[name] ?? name) });
    expect(error?.length).toBeLessThan(1_000);
    expect(peak).toBeLessThan(MOST);
    expect(seconds).toBeLessThan(60);
  });
});

describe("response keys that could pollute prototypes", () => {
  it("pollute neither the process nor the state", async () => {
    const hostile = `{"status":"success","__proto__":{"polluted":1},"data":{"id":"lnk_1","slug":"docs","domain":"x.example",
      "destination_url":"https://example.com/","short_url":"https://x.example/docs","clicks_count":0,
      "created_at":"2030-01-01T00:00:00Z","qr_code_url":"https://x.example/q","__proto__":{"polluted":1},
      "constructor":{"prototype":{"polluted":1}}}}`;
    const service = await hostileService(body(hostile));
    const state = JSON.stringify(["lnk_1", { ...link, __urn: urn }]);
    const report = await inProcess("hook.cjs", service.baseUrl, "Link", "read", state);
    expect(report.error).toBeUndefined();
    expect(report.ok).toMatchObject({ id: "lnk_1" });
    expect(JSON.stringify(report)).not.toContain("polluted");
  });
});

describe("an id in the response to a creation", () => {
  it.each([
    ["../databases/db_1", "is rejected, because no request path can contain it"],
    ["a\nb", "is rejected, because no request path can contain it"],
    ["a?b", "is kept unchanged"],
    ["a#b", "is kept unchanged"],
    ["😀", "is kept unchanged"],
    ["__proto__", "is kept unchanged"],
  ])("%j %s", async (id, what) => {
    const data = {
      ...{ id, slug: "docs", domain: "x.example", destination_url: link.url, clicks_count: 0 },
      ...{
        short_url: "https://x.example/docs",
        qr_code_url: "https://x.example/q",
        created_at: "2030-01-01T00:00:00Z",
      },
    };
    const service = await hostileService((response, request) => {
      const listing = request.method === "GET";
      response.end(
        JSON.stringify({ status: "success", data: listing ? [] : data, meta: { has_more: false } }),
      );
    });
    const report = await inProcess(
      "hook.cjs",
      service.baseUrl,
      "Link",
      "create",
      JSON.stringify([{ ...link, __urn: urn }]),
    );
    const kept = Object(report.ok).id ?? report.resourceId;
    if (what === "is kept unchanged") expect(kept, report.error).toBe(id);
    else expect(report).toMatchObject({ error: expect.stringMatching(/\[CREATE_OUTCOME_UNKNOWN\]/) });
    // Nothing else of the service was touched on its account.
    expect(service.requests.filter((each) => !/^(GET|POST) \/v1\/shortener\/links/.test(each))).toEqual([]);
  });
});
