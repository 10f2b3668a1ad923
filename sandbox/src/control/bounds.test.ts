import { expect, test } from "vitest";
import { sandboxFor } from "../../test/api-client.js";
import { RateLimit } from "../http/rate-limit.js";

test("what tests add is bounded, and there is room again when something is removed", async () => {
  const sandbox = await sandboxFor();
  for (let at = 0; at < 1_000; at++) sandbox.faults.add({ kind: "drop", when: "before", route: "/nowhere" });
  const added = await fetch(`${sandbox.url}/_sandbox/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ kind: "cut" }),
  });
  expect(added.status).toBe(409);
  sandbox.faults.clear("fault_1");
  sandbox.faults.add({ kind: "cut" });

  for (let at = 0; at < 100; at++) await sandbox.snapshots.take(`s${at}`);
  await expect(sandbox.snapshots.take("another")).rejects.toThrow(/100 snapshots/);
  await sandbox.snapshots.take("s1");

  const record = { name: "a.example.com", type: "A", data: "192.0.2.1" } as const;
  expect(() => sandbox.setZone(Array.from({ length: 10_001 }, () => record))).toThrow(/10000/);

  const country = { country_code: "BR", country_name: "Brazil" };
  for (let at = 0; at < 10_000; at++) sandbox.setIp(`2001:db8::${at.toString(16)}`, country);
  expect(() => sandbox.setIp("192.0.2.1", country)).toThrow(/10000 addresses/);
});

test("tenants that a rate limit counts are bounded; an active one keeps its window", () => {
  let now = 0;
  const limit = new RateLimit(() => now, { requests: 1, perMs: 1_000 });
  for (let at = 0; at < 9_999; at++) limit.count(`old${at}`);
  now = 999;
  limit.count("active");
  now = 1_500;
  limit.count("new");
  expect(() => limit.count("active")).toThrow(/limit of 1/);
  for (let at = 0; at < 20_000; at++) limit.count(`flood${at}`);
  limit.count("new");
});
