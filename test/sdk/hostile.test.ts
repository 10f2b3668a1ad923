import {
  AuthenticationError,
  CloudServicesError,
  PermissionError,
  RouteMissingError,
  UndocumentedCallError,
} from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/failure.js";
import { clientOf, openClient } from "./client.js";

const url = "https://example.com";

describe("a create whose answer is lost", () => {
  it.each([
    ["the connection is dropped after it was done", { kind: "drop", when: "after" }],
    ["the answer is cut", { kind: "cut" }],
    ["a 500 comes after it was done", { kind: "status", status: 500, when: "after" }],
    ["a 502 comes before it was done", { kind: "status", status: 502, when: "before" }],
    ["an HTML page comes after it was done", { kind: "html", status: 200, when: "after" }],
  ] as const)("is ambiguous and sent once: %s", async (_, fault) => {
    const { client, sandbox } = await openClient();
    sandbox.faults.add({ ...fault, method: "POST" });
    const error = await errorOf(client.links.create({ url }), CloudServicesError);
    expect(error).toMatchObject({ outcome: "ambiguous", attempts: 1 });
    expect(sandbox.journal({ method: "POST" })).toHaveLength(1);
  });
});

describe("a create that was certainly not done", () => {
  it("is sent again until it is, and makes one link", async () => {
    const { client, sandbox } = await openClient();
    sandbox.faults.add({ kind: "rateLimit", method: "POST", count: 2 });
    await client.links.create({ url });
    expect(sandbox.resources()).toHaveLength(1);
  });
});

describe("reads", () => {
  it("come through a service where every third request fails in some way", async () => {
    const { client, sandbox } = await openClient({}, { maxRetries: 20 });
    const { id } = await client.links.create({ url });
    sandbox.faults.add({ kind: "drop", when: "before", probability: 0.1, seed: 1 });
    sandbox.faults.add({ kind: "status", status: 503, when: "before", probability: 0.1, seed: 2 });
    sandbox.faults.add({ kind: "cut", probability: 0.1, seed: 3 });
    const all = await Promise.all(Array.from({ length: 20 }, () => client.links.get(id)));
    expect(all.every((link) => link.id === id)).toBe(true);
  });
});

describe("a thousand calls at once against a real rate limit", () => {
  it("all succeed, without a storm", async () => {
    const { client, sandbox } = await openClient({ rateLimit: { requests: 200, perMs: 1_000 } });
    const { id } = await client.links.create({ url });
    sandbox.clearJournal();
    const all = await Promise.all(Array.from({ length: 1_000 }, () => client.links.get(id)));
    expect(all).toHaveLength(1_000);
    const refused = sandbox.journal().filter(({ status }) => status === 429).length;
    expect(refused).toBeLessThan(200);
  });
});

describe("what proves nothing is told apart", () => {
  it("from a key that is wrong, or may not write", async () => {
    const { sandbox } = await openClient();
    await errorOf(clientOf(sandbox, { apiKey: "wrong" }).links.list(), AuthenticationError);
    await errorOf(
      clientOf(sandbox, { apiKey: "sandbox_local.readonly" }).links.create({ url }),
      PermissionError,
    );
  });

  it("from a service that has only what is documented", async () => {
    const { client, sandbox } = await openClient({ profile: "documented" });
    const link = await client.links.create({ url });
    expect((await client.links.list()).items).toHaveLength(1);
    const error = await errorOf(client.links.get(link.id), RouteMissingError);
    expect(error.isProvenAbsent).toBe(false);
    await errorOf(clientOf(sandbox, { api: "documented" }).links.get(link.id), UndocumentedCallError);
  });
});
