import { expect, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { receiver } from "../../../test/receiver.js";

test("the relay forwards payload and headers, and returns the status of the target", async () => {
  const call = apiClientFor(await sandboxFor());
  const { url, received } = await receiver(202, 404);
  const relay = (body: object) => call("POST", "/utils/webhooks/relay", body);
  const sent = { target_url: url, payload: { deep: { list: [1, "ü"] } }, headers: { "X-Source": "relay" } };
  expect(await relay(sent)).toMatchObject({ status: 200, data: { delivered: true, status_code: 202 } });
  expect(JSON.parse(received[0]?.body ?? "")).toEqual(sent.payload);
  expect(received[0]?.headers).toMatchObject({ "x-source": "relay", "content-type": "application/json" });
  expect((await relay(sent)).data).toEqual({ delivered: false, status_code: 404 });
  expect(received[1]?.headers["user-agent"]).toBe("cloudservices-sandbox");
  await relay({ ...sent, headers: { "User-Agent": "me" } });
  expect(received[2]?.headers["user-agent"]).toBe("me");
  expect((await relay({ ...sent, target_url: "http://127.0.0.1:1/" })).data).toEqual({
    delivered: false,
    error: expect.any(String),
  });
});

test.each([
  ["target_url", { target_url: "https://example.com/" }],
  ["target_url", { target_url: "http://169.254.169.254/latest/meta-data" }],
  ["target_url", { target_url: "file:///etc/passwd" }],
  ["payload", { payload: "text" }],
  ["headers.Host", { headers: { Host: "evil.example" } }],
  ["headers.x", { headers: { x: "a\r\nb: c" } }],
  ["headers.a b", { headers: { "a b": "c" } }],
])("the relay rejects a wrong %s", async (field, wrong) => {
  const call = apiClientFor(await sandboxFor());
  const body = { target_url: "http://127.0.0.1:9/", payload: {}, ...wrong };
  expect(await call("POST", "/utils/webhooks/relay", body)).toMatchObject({ status: 400, error: { field } });
});
