import { Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { sixKinds } from "../support/six-kinds.js";
import { failureOf } from "../support/stack.js";
import { openSandbox, openTestStack, takeRequests } from "../support/test-stack.js";

const url = "https://example.com/";

const documented = { "cloudservices:api": "documented" };

describe("the mode `documented`", () => {
  it("sends only documented requests from creation to abandonment", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { stack } = await openTestStack(sixKinds({ url }), { sandbox, config: documented });
    expect((await stack.up()).summary).toEqual({ create: 6 });
    expect((await stack.up()).summary).toEqual({ same: 6 });
    expect((await stack.refresh()).summary).toEqual({ same: 6 });
    expect((await stack.up({ program: sixKinds({ url, hour: 4 }) })).summary).toEqual({ update: 1, same: 5 });

    const changed = await failureOf(stack.preview({ program: sixKinds({ url, hour: 4, title: "Start" }) }));
    expect(changed).toMatch(
      /title.*cannot be changed.*UPDATE_UNSUPPORTED.*the specification shows no request that updates a Link/s,
    );
    expect(await failureOf(stack.destroy())).toMatch(
      /was not deleted: the specification shows no request that deletes/,
    );

    stack.configure({ "cloudservices:undeletable": "abandon" });
    await stack.up({ program: sixKinds({ url, hour: 4 }) });
    const destroyed = await stack.destroy();
    expect(destroyed.summary).toEqual({ delete: 6 });
    expect(destroyed.stdout).toMatch(/was left at the service/);
    expect(sandbox.resources().length).toBeGreaterThan(0);
    // That nothing else was asked is looked at after each test in this mode.
    expect(sandbox.journal().length).toBeGreaterThan(6);
  });

  it("detects in the list that a link is deleted", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { stack } = await openTestStack(
      async () => void new Link("home", { url: "https://example.com/" }),
      {
        sandbox,
        config: documented,
      },
    );
    await stack.up();
    await sandbox.remove(sandbox.resources()[0]?.id ?? "");
    await stack.refresh();
    expect((await stack.export()).resources).toEqual([]);
  });
});

describe("the power state of a server in the mode `documented`", () => {
  const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
  const running = async () => void new VpsInstance("web", server);
  const stopped = async () => void new VpsInstance("web", { ...server, powerState: "stopped" });
  const open = async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    for (const what of ["vps", "vpsAction"] as const) sandbox.progress(what, { mode: "time", ms: 0 });
    const { stack } = await openTestStack(running, { sandbox, config: documented });
    await stack.up();
    const status = () => sandbox.resources()[0]?.fields["status"];
    const actions = () => takeRequests(sandbox).filter((request) => /^POST .*\/actions$/.test(request));
    actions();
    return { sandbox, stack, status, actions };
  };

  it("is changed by one action, and not requested at creation", async () => {
    const { sandbox, stack, status, actions } = await open();
    expect(status()).toBe("running");
    await stack.up({ program: stopped });
    expect(status()).toBe("stopped");
    expect(actions()).toHaveLength(1);
    expect((await stack.up()).summary).toEqual({ same: 1 });
    await stack.up({ program: running });
    expect(status()).toBe("running");
    expect(actions()).toHaveLength(1);
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("is requested again by the next run after a rejection, which says what to do", async () => {
    const { sandbox, stack, status, actions } = await open();
    sandbox.faults.add({ kind: "status", status: 409, when: "before", method: "POST", count: 1 });
    expect(await failureOf(stack.up({ program: stopped }))).toMatch(
      /VpsInstance "web" \(vps_\w+\) was not updated \[UPDATE_FAILED\].*409.*check it at the service\. If it is busy, run `pulumi up` again/s,
    );
    actions();
    expect((await stack.up()).summary).toEqual({ update: 1 });
    expect(actions()).toHaveLength(1);
    expect(status()).toBe("stopped");
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });

  it("is never requested again after a lost response: it counts as done, and the failure says so", async () => {
    const { sandbox, stack, status, actions } = await open();
    sandbox.faults.add({ kind: "drop", when: "before", method: "POST", count: 1 });
    expect(await failureOf(stack.up({ program: stopped }))).toMatch(
      /\[UPDATE_OUTCOME_UNKNOWN\].*The action is not retried: check the server at the service and, if it is not stopped, switch it there/s,
    );
    expect(actions()).toHaveLength(1);
    expect((await stack.up()).summary).toEqual({ update: 1 });
    expect((await stack.preview()).summary).toEqual({ same: 1 });
    expect(actions()).toEqual([]);
    expect(status()).toBe("running");
  });
});

describe("a service without the assumed routes, in the mode `conventional`", () => {
  it("is not mistaken for a service whose resources are deleted", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { stack } = await openTestStack(
      async () =>
        void new Webhook("hook", {
          url: "https://hooks.example.com/",
          events: ["database.backup.failed"],
          secret: "a-signing-secret",
        }),
      { sandbox },
    );
    await stack.up();
    await stack.refresh();
    expect((await stack.export()).resources).toHaveLength(1);
    expect(await failureOf(stack.destroy())).toMatch(
      /was not deleted: the service has no route that deletes a Webhook/,
    );
  });
});
