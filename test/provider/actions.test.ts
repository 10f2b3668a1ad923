import { CloudServices } from "cloudservices-sdk";
import { VpsAction, VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { failureOf } from "../support/stack.js";
import { openSandbox, openTestStack, takeRequests } from "../support/test-stack.js";

const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };

type Vary = { release?: string | number; action?: "reboot" | "rebuild" | "create_snapshot" };

/** A server, and an action on it. */
const program =
  ({ release = "v1", action = "reboot" }: Vary = {}) =>
  async () => {
    const web = new VpsInstance("web", server);
    new VpsAction("once", { instanceId: web.id, action, triggers: [release] });
  };

const serverOnly = async () => {
  new VpsInstance("web", server);
};

const actions = "/vps/instances/:id/actions";
const isAction = (request: string) => /^POST \/vps\/instances\/\w+\/actions$/.test(request);
const actionsIn = (requests: readonly string[]) => requests.filter(isAction).length;

describe("an action on a server", () => {
  it("runs once, is awaited, runs again when triggers change, and is deleted without a request", async () => {
    const { sandbox, stack } = await openTestStack(program());
    sandbox.progress("vpsAction", { mode: "reads", reads: 3 });
    expect((await stack.preview()).summary).toEqual({ create: 2 });

    const up = await stack.up();
    expect(up.summary).toEqual({ create: 2 });
    expect(JSON.stringify(up.events)).toContain("rebooting after");
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

  it("is not recorded as done when the service rejects it", async () => {
    const { sandbox, stack } = await openTestStack(program());
    sandbox.faults.add({ kind: "status", status: 409, when: "before", method: "POST", route: actions });
    expect(await failureOf(stack.up())).toMatch(
      /VpsAction "once" did not run: .*409.*\[ACTION_NOT_RUN\].*vps_\w+ is running, which does not allow it/s,
    );
    expect((await stack.export()).resources).toHaveLength(1);
    sandbox.faults.clear();
    expect((await stack.up()).summary).toEqual({ create: 1, same: 1 });
  });

  it("rejects a trigger that would run it every time", async () => {
    const { stack } = await openTestStack(program({ release: Number.NaN }));
    expect(await failureOf(stack.preview())).toMatch(/triggers \[0\] must not contain NaN or Infinity/);
  });
});

describe("several actions on one server", () => {
  const busy = async () => {
    const web = new VpsInstance("web", server);
    for (const name of ["one", "two", "three"]) {
      new VpsAction(name, { instanceId: web.id, action: "create_snapshot" });
    }
  };

  it("run one after the other in the first run, without a rejection", async () => {
    const { sandbox, stack } = await openTestStack(busy);
    sandbox.progress("vpsAction", { mode: "reads", reads: 3 });
    expect((await stack.up()).summary).toEqual({ create: 4 });
    const sent = sandbox.journal().filter(({ method, path }) => isAction(`${method} ${path}`));
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await stack.up()).summary).toEqual({ same: 4 });
  });

  it("wait for an action that another client started", async () => {
    const { sandbox, stack } = await openTestStack(program({ action: "create_snapshot" }));
    await stack.up({ program: serverOnly });
    const [web] = sandbox.resources();
    sandbox.progress("vpsAction", { mode: "reads", reads: 3 });
    const sdk = new CloudServices({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
    await sdk.vps.reboot(web?.id ?? "");
    takeRequests(sandbox);
    await stack.up({ program: program({ action: "create_snapshot" }) });
    const sent = sandbox.journal().filter(({ method, path }) => isAction(`${method} ${path}`));
    expect(sent.map(({ status }) => status)).toEqual([409, 200]);
  });

  it("fail at their timeout when the server stays busy, and are not recorded as done", async () => {
    const impatient = async () => {
      const web = new VpsInstance("web", server);
      const limits = { customTimeouts: { create: "3s" } };
      new VpsAction("once", { instanceId: web.id, action: "create_snapshot" }, limits);
    };
    const { sandbox, stack } = await openTestStack(serverOnly);
    await stack.up();
    sandbox.progress("vpsAction", { mode: "stuck" });
    const sdk = new CloudServices({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
    await sdk.vps.reboot(sandbox.resources()[0]?.id ?? "");
    expect(await failureOf(stack.up({ program: impatient }))).toMatch(
      /VpsAction "once" did not run: .*\[ACTION_NOT_RUN\].*409.*rebooting.*customTimeouts/s,
    );
    expect((await stack.export()).resources).toHaveLength(1);
  });
});

describe("an action whose response is lost", () => {
  const lost = {
    kind: "drop",
    when: "after",
    method: "POST",
    route: actions,
    count: 1,
  } as const;

  it("is not retried when the server shows that it is running", async () => {
    const { sandbox, stack } = await openTestStack(program({ action: "rebuild" }));
    sandbox.progress("vpsAction", { mode: "reads", reads: 3 });
    sandbox.faults.add(lost);
    expect((await stack.up()).summary).toEqual({ create: 2 });
    expect(actionsIn(takeRequests(sandbox))).toBe(1);
    expect((await stack.up()).summary).toEqual({ same: 2 });
  });

  it("is not retried when the server does not show it: the run fails, and the next one continues without it", async () => {
    const { sandbox, stack } = await openTestStack(program());
    sandbox.progress("vpsAction", { mode: "time", ms: 0 });
    sandbox.faults.add(lost);
    expect(await failureOf(stack.up())).toMatch(
      /VpsAction "once" \(vps_\w+\) .*\[ACTION_OUTCOME_UNKNOWN\].*change `triggers`/s,
    );
    expect((await stack.export()).resources).toHaveLength(2);
    expect((await stack.up()).summary).toEqual({ update: 1, same: 1 });
    expect((await stack.preview()).summary).toEqual({ same: 2 });
    expect(actionsIn(takeRequests(sandbox))).toBe(1);
  });
});

describe("an action in the mode `documented`", () => {
  it("sends only documented requests, and can be deleted", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    sandbox.progress("vps", { mode: "time", ms: 60_000 });
    const config = { "cloudservices:api": "documented" };
    const { stack } = await openTestStack(program({ action: "create_snapshot" }), { sandbox, config });
    // The server is still provisioning when its creation returns, and no documented request shows when it is ready.
    await stack.up({ program: serverOnly });
    const tooEarly = await failureOf(stack.up({ program: program({ action: "create_snapshot" }) }));
    expect(tooEarly).toMatch(
      /VpsAction "once" did not run: .*409.*\[ACTION_NOT_RUN\].*pulumi up.*`dependsOn`/s,
    );
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
