import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { EventVerificationError } from "./core/errors.js";
import { signTestEvent } from "./event-signature.js";
import { receiveEvent, verifyEvent } from "./events.js";

const secrets = [
  ["base64", `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`, undefined],
  ["text", "correct horse battery staple", { format: "raw" }],
] as const;
const body = JSON.stringify({ event: "vps.snapshot.completed", data: { name: "é✓" } });

describe.each(secrets)("a test event signed with a secret in %s", (_, secret, format) => {
  it("passes verification, by this package and by the reference implementation", () => {
    const headers = signTestEvent(body, secret);
    expect(verifyEvent(body, headers, secret)).toMatchObject({
      id: headers["webhook-id"],
      event: "vps.snapshot.completed",
    });
    const reference = format ? new Webhook(secret, format) : new Webhook(secret);
    expect(reference.verify(body, headers)).toEqual(JSON.parse(body));
  });

  it("is the same for bytes as for text", () => {
    const options = { id: "msg_1", sentAt: new Date() };
    const bytes = new TextEncoder().encode(body);
    expect(signTestEvent(bytes, secret, options)).toEqual(signTestEvent(body, secret, options));
  });

  it("fails verification with another secret, another body or at another time", () => {
    const headers = signTestEvent(body, secret);
    expect(() => verifyEvent(body, headers, `another ${secret}`)).toThrow(EventVerificationError);
    expect(() => verifyEvent(`${body} `, headers, secret)).toThrow(EventVerificationError);
    const old = signTestEvent(body, secret, { sentAt: new Date(Date.now() - 301_000) });
    expect(() => verifyEvent(body, old, secret)).toThrow(/replay/);
  });
});

it("a signed web request is received", async () => {
  const headers = signTestEvent(body, "secret", { id: "msg_7" });
  const request = new Request("http://127.0.0.1/events", { method: "POST", body, headers });
  expect(await receiveEvent(request, "secret")).toMatchObject({
    id: "msg_7",
    type: "vps.snapshot.completed",
  });
});

it("two test events have different ids", () => {
  const [first, second] = [signTestEvent(body, "secret"), signTestEvent(body, "secret")];
  expect(first["webhook-id"]).not.toBe(second["webhook-id"]);
});

it.each(["", "whsec_"])("an empty secret is rejected: %j", (secret) => {
  expect(() => signTestEvent(body, secret)).toThrow(EventVerificationError);
});
