import { expect, test } from "vitest";
import { aDatabase, apiClientFor, aServer, sandboxFor } from "../../test/api-client.js";

test("a seed makes resources, settled at once, for any tenant", async () => {
  const sandbox = await sandboxFor({ provisioning: { databaseMs: 60_000, vpsMs: 60_000 } });
  const made = await sandbox.seed([
    { kind: "Database", fields: aDatabase },
    { kind: "VpsInstance", fields: aServer, tenant: "other" },
    { kind: "Link", fields: { url: "https://example.com", slug: "seeded" } },
    { kind: "Inbox", fields: {} },
  ]);
  expect(made.map(({ kind, tenant }) => `${kind} ${tenant}`).sort()).toEqual([
    "Database local",
    "Inbox local",
    "Link local",
    "VpsInstance other",
  ]);
  expect((await apiClientFor(sandbox)("GET", "/databases")).data).toMatchObject([{ status: "ready" }]);
  expect((await apiClientFor(sandbox, "sandbox_other")("GET", "/vps/instances")).data).toMatchObject([
    { status: "running" },
  ]);
});

test("where one resource is refused, none is made, and the message says which", async () => {
  const sandbox = await sandboxFor();
  const wishes = [
    { kind: "Link", fields: { url: "https://example.com" } },
    { kind: "Database", fields: { ...aDatabase, plan: "huge" } },
  ] as const;
  await expect(sandbox.seed([...wishes])).rejects.toThrow(/Resource 2 \(Database\): "plan" is invalid/);
  expect(sandbox.resources()).toEqual([]);
});
