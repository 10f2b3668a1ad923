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

describe("a create whose response is lost", () => {
  it.each([
    ["the connection is dropped after the service created it", { kind: "drop", when: "after" }],
    ["the response is cut", { kind: "cut" }],
    ["a 500 after the service created it", { kind: "status", status: 500, when: "after" }],
    ["a 502 before the service created it", { kind: "status", status: 502, when: "before" }],
    ["an HTML page after the service created it", { kind: "html", status: 200, when: "after" }],
  ] as const)("is ambiguous and sent once: %s", async (_, fault) => {
    const { client, sandbox } = await openClient();
    sandbox.faults.add({ ...fault, method: "POST" });
    const error = await errorOf(client.links.create({ url }), CloudServicesError);
    expect(error).toMatchObject({ outcome: "ambiguous", attempts: 1 });
    expect(sandbox.journal({ method: "POST" })).toHaveLength(1);
  });
});

describe("a create that the service rejects with 429", () => {
  it("is retried and creates one link", async () => {
    const { client, sandbox } = await openClient();
    sandbox.faults.add({ kind: "rateLimit", method: "POST", count: 2 });
    await client.links.create({ url });
    expect(sandbox.resources()).toHaveLength(1);
  });
});

describe("reads", () => {
  it("succeed while every third request fails", async () => {
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
  it("all succeed with few refusals", async () => {
    const { client, sandbox } = await openClient({ rateLimit: { requests: 200, perMs: 1_000 } });
    const { id } = await client.links.create({ url });
    sandbox.clearJournal();
    const all = await Promise.all(Array.from({ length: 1_000 }, () => client.links.get(id)));
    expect(all).toHaveLength(1_000);
    const refused = sandbox.journal().filter(({ status }) => status === 429).length;
    expect(refused).toBeLessThan(200);
  });
});

describe("errors that prove nothing about a resource", () => {
  it("are AuthenticationError for a wrong key and PermissionError for a missing scope", async () => {
    const { sandbox } = await openClient();
    await errorOf(clientOf(sandbox, { apiKey: "wrong" }).links.list(), AuthenticationError);
    await errorOf(
      clientOf(sandbox, { apiKey: "sandbox_local.readonly" }).links.create({ url }),
      PermissionError,
    );
  });

  it("are RouteMissingError from a service with the documented routes only", async () => {
    const { client, sandbox } = await openClient({ profile: "documented" });
    const link = await client.links.create({ url });
    expect((await client.links.list()).items).toHaveLength(1);
    const error = await errorOf(client.links.get(link.id), RouteMissingError);
    expect(error.isProvenAbsent).toBe(false);
    await errorOf(clientOf(sandbox, { api: "documented" }).links.get(link.id), UndocumentedCallError);
  });
});
