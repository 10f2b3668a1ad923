import { describe, expect, it } from "vitest";
import { bodies, body, envelope, hostileService, inProcess } from "../support/hostile-service.js";

/** MiB. The process starts at about 70. */
const MOST = 250;

describe("a hostile service costs bounded memory and one clear error", () => {
  it.each(Object.keys(bodies))("%s", async (name) => {
    const respond = bodies[name];
    if (!respond) throw new Error(name);
    const service = await hostileService(respond);
    const { error, code, peak, seconds } = await inProcess(
      "call.mjs",
      service.baseUrl,
      "links",
      "get",
      '["lnk_1"]',
    );
    expect({ code, error }).toEqual({
      code: "RESPONSE_UNREADABLE",
      error: expect.stringMatching(/^GET \/shortener/),
    });
    expect(error?.length).toBeLessThan(400);
    expect(peak).toBeLessThan(MOST);
    expect(seconds).toBeLessThan(30);
  });

  it("a hundred endless bodies at once", async () => {
    const service = await hostileService((response, request) =>
      bodies["an endless body"]?.(response, request),
    );
    const ids = JSON.stringify(Array.from({ length: 100 }, (_, at) => `lnk_${at}`));
    const { ok, peak } = await inProcess("call.mjs", service.baseUrl, "all", "get", ids);
    expect(ok).toEqual(["RESPONSE_UNREADABLE"]);
    expect(peak).toBeLessThan(2 * MOST);
  });

  it("pages without end", async () => {
    let served = 0;
    const service = await hostileService((response) => {
      served += 1;
      const data = [{ id: `lnk_${served}`, short_url: "https://x.example/a" }];
      response.end(
        JSON.stringify({ status: "success", data, meta: { has_more: true, next_cursor: `${served}` } }),
      );
    });
    const { code, error, peak } = await inProcess("call.mjs", service.baseUrl, "links", "list", "[]");
    expect({ code, error }).toEqual({ code: "PAGING_BROKEN", error: expect.stringContaining("10000 pages") });
    expect(peak).toBeLessThan(MOST);
  });

  it("a message of megabytes with control characters", async () => {
    const message = `\u001b[2J${"a".repeat(3_000_000)}\r\nBearer hostile-test-key`;
    const text = JSON.stringify({ status: "error", error: { code: `C${"O".repeat(10_000)}`, message } });
    const service = await hostileService(body(text, {}, 400));
    const { error, seconds } = await inProcess("call.mjs", service.baseUrl, "links", "get", '["lnk_1"]');
    expect(error?.length).toBeLessThan(2_000);
    expect(error).not.toMatch(/\p{Cc}|hostile-test-key/u);
    expect(seconds).toBeLessThan(10);
  });
});

describe("a redirect to another host", () => {
  it.each([301, 302, 303, 307, 308])("%d is not followed, and the key is not sent", async (status) => {
    const other = await hostileService(body(envelope({})));
    const service = await hostileService(
      body("", { location: `${other.baseUrl}/shortener/links/lnk_1` }, status),
    );
    const { error } = await inProcess("call.mjs", service.baseUrl, "links", "get", '["lnk_1"]');
    expect(error).toMatch(/redirected/);
    expect(service.requests).toHaveLength(1);
    expect(other.requests).toEqual([]);
  });
});

describe("ids", () => {
  const link = {
    destination_url: "https://example.com",
    short_url: "https://x.example/a",
    created_at: "2030-01-01T00:00:00Z",
  };

  it.each([
    ["a?admin=1", "/v1/shortener/links/a%3Fadmin%3D1"],
    ["a#b", "/v1/shortener/links/a%23b"],
    ["a%2f..%2fb", "/v1/shortener/links/a%252f..%252fb"],
    ["😀", "/v1/shortener/links/%F0%9F%98%80"],
    ["a b", "/v1/shortener/links/a%20b"],
  ])("%j is sent as one segment of the path", async (id, target) => {
    const service = await hostileService(body(envelope({ id, ...link })));
    await inProcess("call.mjs", service.baseUrl, "links", "get", JSON.stringify([id]));
    expect(service.requests).toEqual([`GET ${target}`]);
  });

  it.each([
    "..",
    ".",
    "../databases/db_1",
    "a/../../b",
    "..\\b",
    "db_1/backup-schedule",
    "a\nb",
    "a\r\nHost: x",
    "a\u0000b",
    "\ud800",
  ])("%j is rejected and not sent", async (id) => {
    const service = await hostileService(body(envelope({ id, ...link })));
    const { code } = await inProcess("call.mjs", service.baseUrl, "links", "delete", JSON.stringify([id]));
    expect(code).toBe("REQUEST_INVALID");
    expect(service.requests).toEqual([]);
  });
});

describe("keys that would pollute prototypes", () => {
  it("are members of the result only", async () => {
    const text = `{"status":"success","__proto__":{"polluted":1},"meta":{"__proto__":{"polluted":1}},"data":{"id":"lnk_1",
      "destination_url":"https://example.com","short_url":"https://x.example/a","domain":"x.example","slug":"a",
      "qr_code_url":"https://x.example/qr","clicks_count":0,"created_at":"2030-01-01T00:00:00Z","__proto__":{"polluted":1},
      "constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":1}}`;
    const service = await hostileService(body(text));
    const report = await inProcess("call.mjs", service.baseUrl, "links", "get", '["lnk_1"]');
    expect(report.ok).toMatchObject({ id: "lnk_1" });
    expect(report).not.toHaveProperty("polluted");
  });
});
