import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { FakeClock } from "../testing/fake-clock.js";
import { aPost, aRequest, aResponse } from "../testing/requests.js";
import { CloudServicesError } from "./base-error.js";
import { withEnvelope } from "./envelope.js";
import * as errors from "./errors.js";
import type { OutgoingRequest, RawResponse } from "./request.js";

const open = (response: RawResponse, request: OutgoingRequest = aRequest()) =>
  withEnvelope(async () => response, new FakeClock())(request);
const failure = (response: RawResponse, request?: OutgoingRequest) =>
  errorOf(open(response, request), CloudServicesError);
const errorBody = (code: string, rest: object = {}) => ({
  status: "error",
  error: { code, message: "because", ...rest },
});

describe("a success", () => {
  it("returns data and meta", async () => {
    const meta = { request_id: "req_1", timestamp: 1 };
    expect(await open(aResponse(200, { status: "success", data: { id: "x" }, meta }))).toMatchObject({
      status: 200,
      data: { id: "x" },
      meta,
    });
  });

  it("may have an empty body", async () => {
    expect(await open(aResponse(204, ""))).toMatchObject({ data: undefined, meta: {} });
  });

  it("is returned unread when the request accepts text", async () => {
    expect(await open(aResponse(200, "<svg/>"), aRequest({ accept: "text" }))).toMatchObject({
      data: "<svg/>",
    });
  });

  it.each([
    ["an HTML page", "<html>login</html>"],
    ["a cut body", '{"status":"success","data":{"connection_uri":"postgres://u:hunter2@h'],
    ["a list without its envelope", []],
    ["an envelope that says error", { status: "error", error: { code: "X", message: "hunter2" } }],
    ["an envelope that says nothing", { data: {} }],
    ["a hundred and one levels", `{"status":"success","meta":${"[".repeat(100)}${"]".repeat(100)}}`],
  ])("with %s is unreadable and ambiguous, and its body is never quoted", async (_, body) => {
    const error = await failure(aResponse(200, body), aPost());
    expect(error).toBeInstanceOf(errors.UnreadableResponseError);
    expect(error).toMatchObject({ outcome: "ambiguous", status: 200, method: "POST", path: "/databases" });
    expect(JSON.stringify(error)).not.toContain("hunter2");
  });
});

describe("a body without a usable envelope", () => {
  it.each([
    ["is nested too deeply", `{"status":"success","data":{},"meta":${"[".repeat(100)}${"]".repeat(100)}}`],
    [
      "is nested too deeply",
      `{"status":"success","data":{},"other":${'{"a":'.repeat(100)}1${"}".repeat(100)}}`,
    ],
    ["is not a JSON object", "[".repeat(100_000) + "]".repeat(1_000_000)],
    ["is not a JSON object", "[".repeat(100_000)],
    ['does not say status "success"', "{}"],
  ])("%s", async (what, body) => {
    expect((await failure(aResponse(200, body))).message).toContain(`200, but the body ${what} (`);
  });
});

describe("a text of the service", () => {
  const key = "a-secret-key-of-thirty-characters";
  const request = aPost({ headers: { authorization: `Bearer ${key}` } });

  it("is cut and put on one line", async () => {
    const message = `first\u001b[2J\r\nsecond ${"x".repeat(100_000)}`;
    const error = await failure(aResponse(400, errorBody("C".repeat(5_000), { message })), request);
    expect(error.message).toContain("first [2J second xxx");
    expect(error.message.length).toBeLessThan(1_500);
    expect(error.message).not.toMatch(/\p{Cc}/u);
  });

  it.each(Array.from({ length: key.length + 1 }, (_, at) => 4_000 - at))(
    "never shows the beginning of a secret that stands where the search ends: at %d",
    async (at) => {
      // Redaction shortens the text, so that the text after a secret moves up.
      const covered = `${key} `.repeat(Math.floor(at / (key.length + 1)));
      const message = `${covered.padEnd(at, ".")}${key}${"x".repeat(5_000)}`;
      const error = await failure(aResponse(400, errorBody("X", { message })), request);
      expect(error.message).not.toContain(key.slice(0, 8));
    },
  );
});

describe("an error status", () => {
  it.each([
    [400, "VALIDATION_ERROR", errors.BadRequestError, "rejected"],
    [401, "UNAUTHORIZED", errors.AuthenticationError, "rejected"],
    [403, "FORBIDDEN", errors.PermissionError, "rejected"],
    [404, "RESOURCE_NOT_FOUND", errors.NotFoundError, "rejected"],
    [404, "ROUTE_NOT_FOUND", errors.RouteMissingError, "rejected"],
    [405, "METHOD_NOT_ALLOWED", errors.RouteMissingError, "rejected"],
    [501, "NOT_IMPLEMENTED", errors.RouteMissingError, "rejected"],
    [409, "CONFLICT", errors.ConflictError, "rejected"],
    [429, "RATE_LIMITED", errors.RateLimitError, "rejected"],
    [402, "PAYMENT_REQUIRED", errors.UnexpectedStatusError, "rejected"],
    [500, "INTERNAL_ERROR", errors.ServerError, "ambiguous"],
    [503, "X", errors.ServerError, "ambiguous"],
    [599, "X", errors.ServerError, "ambiguous"],
  ])("%i %s has its error class", async (status, code, kind, outcome) => {
    const error = await failure(aResponse(status, errorBody(code)), aPost());
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status, outcome, serviceCode: code });
    expect(error.message).toContain("because");
  });

  it.each([301, 302, 303, 307, 308])(
    "%i is not followed, because the key must not go elsewhere",
    async (status) => {
      const error = await failure(
        aResponse(status, "", { location: "https://elsewhere.example.com" }),
        aPost(),
      );
      expect(error).toBeInstanceOf(errors.UnexpectedStatusError);
      expect(error.outcome).toBe(status === 307 || status === 308 ? "rejected" : "ambiguous");
    },
  );

  it("409 advises another value when one is taken, else a check of the state", async () => {
    const taken = await failure(aResponse(409, errorBody("CONFLICT", { field: "slug" })), aPost());
    expect(taken.advice).toBe("Choose another value.");
    const busy = await failure(aResponse(409, errorBody("CONFLICT")), aPost());
    expect(busy.advice).toContain("it may be busy");
  });

  it("carries field, documentation, request id and the service's clock", async () => {
    const body = {
      ...errorBody("VALIDATION_ERROR", { field: "ttl_minutes", doc_url: "https://docs.example.com/x" }),
      meta: { request_id: "req_9", timestamp: 1_893_456_000 },
    };
    expect(await failure(aResponse(400, body))).toMatchObject({
      field: "ttlMinutes",
      docUrl: "https://docs.example.com/x",
      requestId: "req_9",
      timestamp: 1_893_456_000,
      method: "GET",
      path: "/databases/db_1",
    });
  });

  it("reads request id and clock from the headers when the body has none", async () => {
    const headers = { "x-request-id": "req_h", date: "Tue, 01 Jan 2030 00:00:00 GMT" };
    expect(await failure(aResponse(502, "<html>bad gateway</html>", headers))).toMatchObject({
      requestId: "req_h",
      timestamp: 1_893_456_000,
    });
  });

  it("reads the clock from the header when the one in the body is no time", async () => {
    const headers = { date: "Tue, 01 Jan 2030 00:00:00 GMT" };
    const body = { ...errorBody("X"), meta: { timestamp: 1e300 } };
    expect(await failure(aResponse(500, body, headers))).toMatchObject({ timestamp: 1_893_456_000 });
    expect((await failure(aResponse(500, body))).timestamp).toBeUndefined();
  });

  it("carries the Retry-After of a 429 and a 503", async () => {
    expect(await failure(aResponse(429, errorBody("X"), { "retry-after": "2" }))).toMatchObject({
      retryAfter: 2_000,
    });
    expect(await failure(aResponse(503, errorBody("X"), { "retry-after": "2" }))).toMatchObject({
      retryAfter: 2_000,
    });
  });

  it("a 404 without a readable body is no NotFoundError", async () => {
    for (const body of ["", "<html>not found</html>", "{", "null", { error: "RESOURCE_NOT_FOUND" }]) {
      const error = await failure(aResponse(404, body));
      expect(error).toBeInstanceOf(errors.RouteMissingError);
      expect(error.isProvenAbsent).toBe(false);
    }
  });

  it("redacts the request's secrets and the key from the service's message", async () => {
    const request = aPost({
      headers: { authorization: "Bearer sk_live_1" },
      body: JSON.stringify({
        passcode: "open sesame",
        user_data: "#!/bin/sh\nPW=x",
        secret: "whsec_1",
        name: "visible",
      }),
    });
    const message =
      "key sk_live_1, passcode 'open sesame', script #!/bin/sh\nPW=x, whsec_1, postgres://u:pw@h/db, visible";
    const error = await failure(aResponse(400, errorBody("X", { message })), request);
    expect(error.message).toContain("visible");
    for (const secret of ["sk_live_1", "open sesame", "PW=x", "whsec_1", "u:pw"]) {
      expect(JSON.stringify(error) + String(error.stack)).not.toContain(secret);
    }
  });
});
