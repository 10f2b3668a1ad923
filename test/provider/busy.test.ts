import { CloudServices } from "cloudservices-sdk";
import { Database, VpsInstance } from "pulumi-cloudservices";
import { expect, it } from "vitest";
import { failureOf } from "../support/stack.js";
import { openTestStack } from "../support/test-stack.js";

const program =
  (plan: string, update = "1m") =>
  async () => {
    const inputs = { engine: "postgresql", version: "15", plan, region: "eu-central-1" };
    new Database("orders", inputs, { customTimeouts: { update } });
  };

/** A database that another client is changing; `progression` sets the duration. */
async function busy(progression: { mode: "reads"; reads: number } | { mode: "stuck" }) {
  const { sandbox, stack } = await openTestStack(program("db-starter-1"));
  await stack.up();
  sandbox.progress("database", progression, { next: 1 });
  const sdk = new CloudServices({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
  await sdk.databases.update(sandbox.resources()[0]?.id ?? "", { version: "16" });
  sandbox.clearJournal();
  const changes = () => sandbox.journal().filter(({ method }) => method === "PATCH");
  return { sandbox, stack, changes };
}

it("an update of a database waits for a change that another client started", async () => {
  const { sandbox, stack, changes } = await busy({ mode: "reads", reads: 3 });
  expect((await stack.up({ program: program("db-standard-2") })).summary).toEqual({ update: 1 });
  expect(changes().map(({ status }) => status)).toEqual([409, 200]);
  expect(sandbox.resources()).toMatchObject([{ fields: { plan: "db-standard-2", status: "ready" } }]);
});

it("an update of a database that stays busy fails at its timeout, and a later run makes it", async () => {
  const { sandbox, stack, changes } = await busy({ mode: "stuck" });
  const failed = failureOf(stack.up({ program: program("db-standard-2", "2s") }));
  expect(await failed).toMatch(/Database "orders" \(db_\w+\) not updated: .*is not ready after .*updating/s);
  expect(changes().map(({ status }) => status)).toEqual([409]);
  sandbox.change(sandbox.resources()[0]?.id ?? "", { status: "ready" });
  expect((await stack.up({ program: program("db-standard-2") })).summary).toEqual({ update: 1 });
  expect((await stack.preview()).summary).toEqual({ same: 1 });
});

/** A server with a snapshot in progress, whose deletion the service therefore rejects so many times. */
async function snapshotting(
  progression: { mode: "reads"; reads: number } | { mode: "stuck" },
  refusals: { count?: number } = {},
) {
  const inputs = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
  const { sandbox, stack } = await openTestStack(async () => {
    new VpsInstance("web", inputs, { customTimeouts: { delete: "2s" } });
  });
  await stack.up();
  sandbox.progress("vpsAction", progression, { next: 1 });
  const sdk = new CloudServices({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
  await sdk.vps.createSnapshot(sandbox.resources()[0]?.id ?? "");
  // The sandbox itself deletes at any time: the specification does not show that a snapshot forbids it.
  const busy = { kind: "status", status: 409, when: "before", method: "DELETE" } as const;
  sandbox.faults.add({ ...busy, route: "/vps/instances/:id", ...refusals });
  sandbox.clearJournal();
  const deletions = () => sandbox.journal().filter(({ method }) => method === "DELETE");
  return { sandbox, stack, deletions };
}

it("a destroy waits for a snapshot of the server that is in progress", async () => {
  const { sandbox, stack, deletions } = await snapshotting({ mode: "reads", reads: 3 }, { count: 1 });
  expect((await stack.destroy()).summary).toEqual({ delete: 1 });
  expect(deletions()[0]).toMatchObject({ status: 409 });
  expect(deletions()).toHaveLength(2);
  expect(sandbox.resources()).toEqual([]);
});

it("a destroy fails when the server stays busy until the delete timeout, and keeps it in the state", async () => {
  const { stack, deletions } = await snapshotting({ mode: "stuck" });
  expect(await failureOf(stack.destroy())).toMatch(
    /VpsInstance "web" \(vps_\w+\) was not deleted: .*\[DELETE_BUSY\].*409.*snapshotting.*customTimeouts/s,
  );
  expect(deletions()).toHaveLength(1);
  expect((await stack.export()).resources).toHaveLength(1);
});
