import { VpsAction, VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openCloud, openSandbox, takeRequests } from "../support/cloud.js";
import { failureOf } from "../support/stack.js";

type Vary = { release?: string; action?: "reboot" | "rebuild" | "create_snapshot" };

/** A server, and an action on it. */
const program =
  ({ release = "v1", action = "reboot" }: Vary = {}) =>
  async () => {
    const web = new VpsInstance("web", { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });
    new VpsAction("once", { instanceId: web.id, action, triggers: [release] });
  };

const serverOnly = async () => {
  new VpsInstance("web", { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });
};

const isAction = (request: string) => /^POST \/vps\/instances\/\w+\/actions$/.test(request);
const actionsIn = (requests: readonly string[]) => requests.filter(isAction).length;

describe("an action on a server", () => {
  it("is done once, waited for, done again for changed triggers, and deleted without a request", async () => {
    const { sandbox, stack } = await openCloud(program());
    sandbox.progress("vpsAction", { mode: "reads", reads: 3 });
    expect((await stack.preview()).summary).toEqual({ create: 2 });

    const up = await stack.up();
    expect(up.summary).toEqual({ create: 2 });
    expect(JSON.stringify(up.events)).toContain("rebooting for");
    expect(sandbox.resources()).toMatchObject([{ fields: { status: "running" } }]);
    expect(actionsIn(takeRequests(sandbox))).toBe(1);

    expect((await stack.up()).summary).toEqual({ same: 2 });
    expect(takeRequests(sandbox)).toEqual([]);
    expect((await stack.refresh()).summary).toEqual({ same: 2 });
    expect((await stack.preview()).summary).toEqual({ same: 2 });
    takeRequests(sandbox);

    const next = program({ release: "v2" });
    expect((await stack.preview({ program: next })).summary).toEqual({ replace: 1, same: 1 });
    expect((await stack.up()).summary).toEqual({ replace: 1, same: 1 });
    expect(actionsIn(takeRequests(sandbox))).toBe(1);

    expect((await stack.up({ program: serverOnly })).summary).toEqual({ delete: 1, same: 1 });
    expect(takeRequests(sandbox)).toEqual([]);
  });

  it("is refused by the service without being recorded as done", async () => {
    const { sandbox, stack } = await openCloud(program());
    const route = "/vps/instances/:id/actions";
    sandbox.faults.add({ kind: "status", status: 409, when: "before", method: "POST", route, count: 1 });
    expect(await failureOf(stack.up())).toMatch(/VpsAction "once" could not be created: .*409/);
    expect((await stack.up()).summary).toEqual({ create: 1, same: 1 });
  });
});

describe("an action whose answer is lost", () => {
  const lost = {
    kind: "drop",
    when: "after",
    method: "POST",
    route: "/vps/instances/:id/actions",
    count: 1,
  } as const;

  it("is not sent again where the server shows that it is being done", async () => {
    const { sandbox, stack } = await openCloud(program({ action: "rebuild" }));
    sandbox.progress("vpsAction", { mode: "reads", reads: 3 });
    sandbox.faults.add(lost);
    expect((await stack.up()).summary).toEqual({ create: 2 });
    expect(actionsIn(takeRequests(sandbox))).toBe(1);
    expect((await stack.up()).summary).toEqual({ same: 2 });
  });

  it("is not sent again where nothing shows it: the run fails, and the next one goes on without it", async () => {
    const { sandbox, stack } = await openCloud(program());
    sandbox.progress("vpsAction", { mode: "time", ms: 0 });
    sandbox.faults.add(lost);
    expect(await failureOf(stack.up())).toMatch(
      /VpsAction "once" \(vps_\w+\) may or may not have been done: .*change `triggers`/s,
    );
    expect((await stack.export()).resources).toHaveLength(2);
    expect((await stack.up()).summary).toEqual({ update: 1, same: 1 });
    expect((await stack.preview()).summary).toEqual({ same: 2 });
    expect(actionsIn(takeRequests(sandbox))).toBe(1);
  });
});

describe("an action in the mode `documented`", () => {
  it("sends what the specification shows and nothing else, and can be deleted", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const config = { "cloudservices:api": "documented" };
    const { stack } = await openCloud(program({ action: "create_snapshot" }), { sandbox, config });
    // The server is still being built when its creation is answered, and nothing documented tells when it is not.
    await stack.up({ program: serverOnly });
    await sandbox.clock.advance(60_000);
    takeRequests(sandbox);
    await stack.up({ program: program({ action: "create_snapshot" }) });
    await stack.refresh();
    expect((await stack.up({ program: serverOnly })).summary).toEqual({ delete: 1, same: 1 });
    const requests = takeRequests(sandbox);
    expect(requests.filter((request) => !isAction(request))).toEqual([]);
    expect(requests).toHaveLength(1);
  });
});
