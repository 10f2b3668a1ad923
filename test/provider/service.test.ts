import { Database, Link, VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { failureOf } from "../support/stack.js";
import { openTestStack } from "../support/test-stack.js";

const database = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" };
const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };

describe("pain: 100 resources cause a storm of 429 responses", () => {
  it("creates 100 links at 40 per second, with few 429 responses", async () => {
    const { sandbox, stack } = await openTestStack(async () => {
      for (let number = 0; number < 100; number++)
        new Link(`link-${number}`, { url: `https://example.com/${number}` });
    });
    sandbox.limitRate({ requests: 40, perMs: 1_000 });
    expect((await stack.up({ parallel: 64 })).summary).toEqual({ create: 100 });
    expect(sandbox.resources()).toHaveLength(100);
    const refused = sandbox.journal().filter(({ status }) => status === 429);
    expect(refused.length).toBeLessThan(50);
  });
});

describe("pain: 404 just after create drops the resource; 404 on delete fails the destroy", () => {
  it("retries a read of a new resource that the service does not return yet", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("orders", database));
    sandbox.faults.add({
      kind: "status",
      status: 404,
      when: "before",
      method: "GET",
      route: "/databases/:id",
      count: 3,
    });
    expect((await stack.up()).summary).toEqual({ create: 1 });
    expect((await stack.export()).resources[0]?.outputs).toMatchObject({ status: "ready" });
  });

  it("treats a missing resource as deleted", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new VpsInstance("web", server));
    await stack.up();
    await sandbox.remove(sandbox.resources()[0]?.id ?? "");
    expect((await stack.destroy()).summary).toEqual({ delete: 1 });
  });
});

describe("pain: destroy succeeds while the server still exists", () => {
  it("waits until the service no longer returns it, and keeps it in the state until then", async () => {
    const program = async () => void new VpsInstance("web", server, { customTimeouts: { delete: "1s" } });
    const { sandbox, stack } = await openTestStack(program);
    await stack.up();
    sandbox.progress("deletion", { mode: "time", ms: 3_600_000 });
    expect(await failureOf(stack.destroy())).toMatch(
      /VpsInstance "web" \(vps_\w+\) not deleted: .*\[DELETE_FAILED\]/s,
    );
    expect((await stack.export()).resources).toHaveLength(1);
    await sandbox.clock.advance(3_600_000);
    expect((await stack.destroy()).summary).toEqual({ delete: 1 });
    expect(sandbox.resources()).toEqual([]);
  });
});
