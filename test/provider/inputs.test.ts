import { secret } from "@pulumi/pulumi";
import { Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openProxy } from "../support/proxy.js";
import { expectNoSecrets } from "../support/secrets.js";
import { failureOf, openStack } from "../support/stack.js";
import { openSandbox, openTestStack, quick } from "../support/test-stack.js";

const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" } as const;

describe("pain: a preview shows less than the update does", () => {
  const program = (userData: string, replaces?: boolean) => async () => {
    const fresh = new Link("fresh", { url: "https://example.com/" });
    // Unknown until the link exists.
    const unknown = fresh.clicksCount.apply((clicks) => Number(clicks) > 100);
    new VpsInstance("web", { ...server, userData, replaceOnUserDataChange: replaces ?? unknown });
  };

  it("an unknown flag is planned with its larger effect", async () => {
    const before = async () => void new VpsInstance("web", { ...server, userData: "#!/bin/sh\ntrue" });
    const { stack } = await openTestStack(before);
    await stack.up();
    const changed = "#!/bin/sh\nfalse";
    expect((await stack.preview({ program: program(changed) })).summary).toEqual({ create: 1, replace: 1 });
    expect((await stack.preview({ program: program(changed, false) })).summary).toEqual({
      ...{ create: 1, update: 1 },
    });
    expect((await stack.up({ program: program(changed) })).summary).toEqual({ create: 1, update: 1 });
  });
});

describe("pain: a token in a URL that only the program marks as secret", () => {
  const canaries = {
    token: "https://hooks.example.com/canary-of-a-hook-token",
    title: "canary-of-a-title",
    later: "https://hooks.example.com/canary-of-a-later-token",
  };
  const program = (url: string) => async () => {
    const docs = new Link("docs", { url: "https://example.com/", title: secret(canaries.title) });
    const events = ["database.backup.failed" as const];
    const hook = new Webhook("hook", { url: secret(url), events, secret: "a-signing-secret" });
    return { url: hook.url, title: docs.title };
  };

  it("no output, log, error or state shows what the program marks as secret", async () => {
    const proxy = await openProxy(await openSandbox());
    const config = { ...quick, "cloudservices:maxRetries": "0" };
    const stack = await openStack({ program: program(canaries.token), sandbox: proxy, config });
    const said: string[] = [];
    const keep = async (...texts: string[]) => void said.push(...texts, (await stack.export()).text);

    // What the service has been sent with a request to this path.
    const known = (path: string, ...urls: string[]) => (path.includes("/webhooks") ? urls : [canaries.title]);
    proxy.reject(400, (path) => known(path, canaries.token));
    await keep(await failureOf(stack.up()));
    expect(said.join("")).toContain("[secret]");
    proxy.passThrough();
    const up = await stack.up();
    expect(up.outputs["url"]?.secret).toBe(true);
    expect(up.outputs["title"]?.secret).toBe(true);
    await keep(up.stdout, up.stderr);
    for (const operation of [stack.refresh, stack.preview]) {
      const { stdout, stderr } = await operation();
      await keep(stdout, stderr);
    }
    proxy.reject(500, (path) => known(path, canaries.token, canaries.later));
    await keep(await failureOf(stack.up({ program: program(canaries.later) })));
    proxy.passThrough();
    const { stdout, stderr } = await stack.destroy();
    await keep(stdout, stderr);
    expectNoSecrets(said.join("\n"), canaries);
  });
});

describe("pain: a value that the service normalises replaces the resource later", () => {
  const program = (title: string) => async () =>
    void new Link("launch", { url: "https://example.com/", slug: "Launch-2030", title });

  it("is reported once, is no drift, and does not change with another input", async () => {
    const sandbox = await openSandbox();
    const proxy = await openProxy(sandbox);
    proxy.rewrite((response) => response.replaceAll("Launch-2030", "launch-2030"));
    const stack = await openStack({ program: program("one"), sandbox: proxy, config: quick });
    const up = await stack.up();
    expect(up.stdout).toContain('the service stores slug as "launch-2030"; it was sent "Launch-2030"');
    const refreshed = await stack.refresh();
    expect(refreshed.summary).toEqual({ same: 1 });
    expect(refreshed.stdout).not.toContain("the service stores");
    expect((await stack.preview()).summary).toEqual({ same: 1 });
    expect((await stack.up({ program: program("two") })).summary).toEqual({ update: 1 });
    expect((await stack.preview({ program: program("two") })).summary).toEqual({ same: 1 });
    expect(sandbox.resources()).toHaveLength(1);
  });
});
