import { Inbox } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { modes } from "../support/modes.js";
import { sixKinds } from "../support/six-kinds.js";
import { openTestStack, takeRequests } from "../support/test-stack.js";

describe("the life of a stack with all six kinds", () => {
  it("includes creation, no change, update in place, replacement, repair and destruction", async () => {
    const { sandbox, stack } = await openTestStack(sixKinds());

    expect((await stack.preview()).summary).toEqual({ create: 6 });
    expect(takeRequests(sandbox)).toEqual([]);

    const up = await stack.up();
    expect(up.summary).toEqual({ create: 6 });
    expect(sandbox.resources()).toHaveLength(6);
    expect(up.outputs["shortUrl"]?.value).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\w{6}$/);
    expect(up.outputs["ipv4"]?.value).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(up.outputs["uri"]).toMatchObject({
      secret: true,
      value: expect.stringMatching(/^postgres(ql)?:\/\//),
    });
    takeRequests(sandbox);

    expect((await stack.up()).summary).toEqual({ same: 6 });
    expect((await stack.preview()).summary).toEqual({ same: 6 });
    expect(takeRequests(sandbox)).toEqual([]);

    const ids = new Set(sandbox.resources().map(({ id }) => id));
    const changes = { title: "Start", plan: "vps-standard-2", hour: 4, events: ["vps.snapshot.completed"] };
    expect((await stack.up({ program: sixKinds(changes) })).summary).toEqual({ update: 4, same: 2 });
    expect(new Set(sandbox.resources().map(({ id }) => id))).toEqual(ids);
    expect((await stack.up()).summary).toEqual({ same: 6 });

    const moved = sixKinds({ ...changes, region: "us-east-1", ttl: 30 });
    expect((await stack.preview({ program: moved })).summary).toEqual({ replace: 2, update: 1, same: 3 });
    expect((await stack.up()).summary).toEqual({ replace: 2, update: 1, same: 3 });
    expect(sandbox.resources()).toHaveLength(6);
    expect((await stack.up()).summary).toEqual({ same: 6 });

    const server = sandbox.resources().find(({ kind }) => kind === "VpsInstance");
    const webhook = sandbox.resources().find(({ kind }) => kind === "Webhook");
    sandbox.change(server?.id ?? "", { name: "renamed-by-hand" });
    await sandbox.remove(webhook?.id ?? "");
    await stack.refresh();
    expect((await stack.up()).summary).toEqual({ create: 1, update: 1, same: 4 });
    expect((await stack.up()).summary).toEqual({ same: 6 });

    expect((await stack.destroy()).summary).toEqual({ delete: 6 });
    expect(sandbox.resources()).toEqual([]);
    expect((await stack.export()).resources).toEqual([]);
  });
});

describe.each(modes)("an expired inbox, in the mode $api", ({ service, mode }) => {
  it("stays in the state as expired, by the service's clock, and is not created again", async () => {
    const program = async () => void new Inbox("signup", { ttlMinutes: 10 });
    // The mode documented has no request that deletes a predecessor.
    const config = { ...mode, "cloudservices:undeletable": "abandon" };
    const { sandbox, stack } = await openTestStack(program, { service, config });
    await stack.up();
    await sandbox.clock.advance(11 * 60_000);
    expect(sandbox.resources()).toEqual([]);
    await stack.refresh();
    expect((await stack.export()).resources).toMatchObject([{ outputs: { expired: true } }]);
    expect((await stack.preview()).summary).toEqual({ same: 1 });

    const renewing = async () => void new Inbox("signup", { ttlMinutes: 10, renewExpired: true });
    expect((await stack.preview({ program: renewing })).summary).toEqual({ replace: 1 });
  });
});

describe.each(modes)("a refresh of unchanged resources, in the mode $api", ({ service, mode }) => {
  it("reports no changes", async () => {
    const { stack } = await openTestStack(sixKinds({ url: "https://example.com/" }), {
      service,
      config: mode,
    });
    await stack.up();
    expect((await stack.refresh()).summary).toEqual({ same: 6 });
    expect((await stack.up()).summary).toEqual({ same: 6 });
  });
});
