import { Database, VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { failureOf, type TestStack } from "../support/stack.js";
import { openTestStack, takeRequests } from "../support/test-stack.js";

const database = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" };
const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };

const hour = 3_600_000;

const impatient = async () => void new Database("orders", database, { customTimeouts: { create: "3s" } });

/** A database that was late when its creation stopped waiting, and that the service has finished since. */
async function late(between: (stack: TestStack) => Promise<unknown>) {
  const { sandbox, stack } = await openTestStack(impatient);
  sandbox.progress("database", { mode: "time", ms: hour });
  const said = await failureOf(stack.up());
  expect(said).toMatch(/Database "orders" \(db_\w+\) exists, but is not ready \[NOT_READY\].*provisioning/s);
  expect((await stack.export()).resources).toMatchObject([{ id: sandbox.resources()[0]?.id }]);
  await between(stack);
  await sandbox.clock.advance(hour);
  return { sandbox, stack };
}

async function expectFinishing({ sandbox, stack }: Awaited<ReturnType<typeof late>>) {
  expect((await stack.preview()).summary).toEqual({ update: 1 });
  expect((await stack.up()).summary).toEqual({ update: 1 });
  expect(sandbox.resources()).toHaveLength(1);
  expect(takeRequests(sandbox).filter((request) => request === "POST /databases")).toHaveLength(1);
  const [database] = (await stack.export()).resources;
  expect(database?.outputs).toMatchObject({ status: "ready", host: expect.any(String) });
  expect((await stack.preview()).summary).toEqual({ same: 1 });
}

describe("pain: a resource that fails after its creation is missing from the state", () => {
  it("a database that is not ready in time stays in the state, and the next run finishes it", async () => {
    await expectFinishing(await late(async () => undefined));
  });
});

describe("pain: a refresh after an unfinished creation makes it look ready", () => {
  it("the preview shows that it is unfinished, and the next run finishes it", async () => {
    const refreshed = await late(async (stack) => {
      await stack.refresh();
      // The engine has taken its own mark away.
      expect((await stack.export()).resources).toMatchObject([{ initErrors: [] }]);
    });
    await expectFinishing(refreshed);
  });
});

describe("pain: a timeout is ignored, or the next run starts over", () => {
  it("customTimeouts limits the wait, and the error says what to do", async () => {
    const { sandbox, stack } = await openTestStack(impatient);
    sandbox.progress("database", { mode: "stuck" });
    expect(await failureOf(stack.up())).toMatch(
      /\[NOT_READY\].*is not ready after \d{1,4} ms; .*pulumi up.*customTimeouts/s,
    );
  });

  it("a changed timeout is shown, and sends no request", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("orders", database));
    await stack.up();
    takeRequests(sandbox);
    const patient = async () => void new Database("orders", database, { customTimeouts: { create: "2h" } });
    expect((await stack.up({ program: patient })).summary).toEqual({ update: 1 });
    expect(takeRequests(sandbox)).toEqual([]);
    expect((await stack.up()).summary).toEqual({ same: 1 });
  });
});

describe("a resource that fails", () => {
  it("ends the wait at once with the service's reason, and leaves nothing", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new VpsInstance("web", server));
    sandbox.progress("vps", { mode: "fail", reason: "no capacity in eu-central-1", ms: 10 }, { next: 1 });
    expect(await failureOf(stack.up())).toContain("no capacity in eu-central-1");
    // Nothing is left of it, neither at the service nor in the state.
    expect(sandbox.resources()).toEqual([]);
    expect((await stack.export()).resources).toEqual([]);
    expect((await stack.up()).summary).toEqual({ create: 1 });
    expect(sandbox.resources()).toHaveLength(1);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });
});

describe("a replacement that fails", () => {
  it("does not change the predecessor when the program is reverted", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("orders", database));
    await stack.up();
    const ids = sandbox.resources().map(({ id }) => id);
    sandbox.progress("database", { mode: "fail", reason: "no capacity", ms: 10 }, { next: 1 });
    const moved = async () => void new Database("orders", { ...database, region: "us-east-1" });
    expect(await failureOf(stack.up({ program: moved }))).toContain("no capacity");
    const back = async () => void new Database("orders", database);
    expect((await stack.up({ program: back })).summary).toEqual({ same: 1 });
    expect(sandbox.resources().map(({ id }) => id)).toEqual(ids);
  });
});

describe("waiting", () => {
  it("is shown on the resource's row", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("orders", database));
    sandbox.progress("database", { mode: "time", ms: 500 });
    const { events } = await stack.up();
    const diagnostics = events.flatMap(({ diagnosticEvent }) =>
      diagnosticEvent?.ephemeral ? [diagnosticEvent] : [],
    );
    expect(diagnostics.map(({ urn }) => urn)).toContain(
      `urn:pulumi:dev::test::${Database.__pulumiType}::orders`,
    );
    expect(diagnostics.map(({ message }) => message).join("")).toMatch(
      /provisioning after 0 s \(0% of 30 min\)/,
    );
  });

  it("continues after a failed poll", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("orders", database));
    sandbox.progress("database", { mode: "time", ms: 300 });
    sandbox.faults.add({
      kind: "status",
      status: 500,
      when: "before",
      method: "GET",
      route: "/databases/:id",
      count: 5,
    });
    expect((await stack.up()).summary).toEqual({ create: 1 });
  });

  it("polls many databases with shared requests", async () => {
    const { sandbox, stack } = await openTestStack(async () => {
      for (let number = 0; number < 12; number++) new Database(`orders-${number}`, database);
    });
    sandbox.progress("database", { mode: "reads", reads: 3 });
    await stack.up({ parallel: 12 });
    const polls = takeRequests(sandbox).filter((request) => request.startsWith("GET"));
    // One by one, each would take three.
    expect(polls.length).toBeLessThan(36);
  });
});
