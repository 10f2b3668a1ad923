import { Link, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openCloud, openSandbox } from "../support/cloud.js";
import { sixKinds } from "../support/six-kinds.js";
import { failureOf } from "../support/stack.js";

const url = "https://example.com/";

const documented = { "cloudservices:api": "documented" };

describe("the mode `documented`", () => {
  it("lives from creation to abandonment by the requests that the specification shows", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { stack } = await openCloud(sixKinds({ url }), { sandbox, config: documented });
    expect((await stack.up()).summary).toEqual({ create: 6 });
    expect((await stack.up()).summary).toEqual({ same: 6 });
    expect((await stack.refresh()).summary).toEqual({ same: 6 });
    expect((await stack.up({ program: sixKinds({ url, hour: 4 }) })).summary).toEqual({ update: 1, same: 5 });

    const changed = await failureOf(stack.preview({ program: sixKinds({ url, hour: 4, title: "Start" }) }));
    expect(changed).toMatch(
      /title.*cannot be changed: the specification shows no request that updates a Link/,
    );
    expect(await failureOf(stack.destroy())).toMatch(
      /was not deleted: the specification shows no request that deletes/,
    );

    await stack.configure({ "cloudservices:undeletable": "abandon" });
    await stack.up({ program: sixKinds({ url, hour: 4 }) });
    const destroyed = await stack.destroy();
    expect(destroyed.summary).toEqual({ delete: 6 });
    expect(destroyed.stdout).toMatch(/was left at the service/);
    expect(sandbox.resources().length).toBeGreaterThan(0);
    // That nothing else was asked is looked at after each test in this mode.
    expect(sandbox.journal().length).toBeGreaterThan(6);
  });

  it("sees by the list that a link is gone", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { stack } = await openCloud(async () => void new Link("home", { url: "https://example.com/" }), {
      sandbox,
      config: documented,
    });
    await stack.up();
    await sandbox.remove(sandbox.resources()[0]?.id ?? "");
    await stack.refresh();
    expect((await stack.export()).resources).toEqual([]);
  });
});

describe("a service without the assumed routes, in the mode `conventional`", () => {
  it("is never taken for one whose resources are gone", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { stack } = await openCloud(
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
