import { Link, VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openCloud, openSandbox, takeRequests } from "../support/cloud.js";
import { modes } from "../support/modes.js";
import { failureOf } from "../support/stack.js";

const program = async () => void new Link("docs", { url: "https://example.com/docs" });

describe("pain: another tenant's key finds nothing, so refresh empties the state", () => {
  it("not found under another key is an error until the change is accepted", async () => {
    const { sandbox, stack } = await openCloud(program);
    await stack.up();
    await stack.configure({ "cloudservices:apiKey": { secret: "sandbox_somebody-else" } });
    // Refresh uses the configuration in the state; an up of the program brings the new one there.
    expect((await stack.up()).summary).toEqual({ same: 1 });
    expect(await failureOf(stack.refresh())).toMatch(/\[KEY_CHANGED\]/);
    const renamed = async () => void new Link("docs", { url: "https://example.com/renamed" });
    expect(await failureOf(stack.up({ program: renamed }))).toMatch(/\[KEY_CHANGED\]/);
    expect((await stack.export()).resources).toHaveLength(1);
    expect(sandbox.resources()).toHaveLength(1);

    await stack.configure({ "cloudservices:acceptKeyChange": "true" });
    await stack.up({ program });
    await stack.refresh();
    expect((await stack.export()).resources).toEqual([]);
    expect((await stack.up()).summary).toEqual({ create: 1 });
  });

  const server = (region: string) => async () =>
    void new VpsInstance("web", { plan: "vps-micro-1", region, image: "debian-12" });

  it("replaces nothing under the key of another account", async () => {
    const { sandbox, stack } = await openCloud(server("eu-central-1"));
    await stack.up();
    await stack.configure({ "cloudservices:apiKey": { secret: "sandbox_somebody-else" } });
    takeRequests(sandbox);
    const planned = await stack.preview({ program: server("us-east-1") });
    expect(planned.summary).toEqual({ replace: 1 });
    expect(planned.stdout).toMatch(/The API key has changed\. Before a replacement/);
    expect(takeRequests(sandbox)).toEqual([]);
    expect(await failureOf(stack.up({ program: server("us-east-1") }))).toMatch(
      /VpsInstance "web" \(vps_\w+\) was not found.*cloudservices:acceptKeyChange true/s,
    );
    expect(takeRequests(sandbox).filter((request) => !request.startsWith("GET "))).toEqual([]);
    expect(sandbox.resources()).toMatchObject([{ fields: { region: "eu-central-1" } }]);
    expect((await stack.export()).resources).toHaveLength(1);
  });

  it("replaces under a new key of the same account, without a refresh before", async () => {
    const { sandbox, stack } = await openCloud(server("eu-central-1"));
    await stack.up();
    // As if the last run had another key: what the state keeps of it is a fingerprint.
    const state = await stack.export();
    const text = state.text.replace(/("key":\s*")[0-9a-f]{16}"/, '$10123456789abcdef"');
    expect(text).not.toBe(state.text);
    await stack.import({ ...state, text });
    expect((await stack.up({ program: server("us-east-1") })).summary).toEqual({ replace: 1 });
    expect(sandbox.resources()).toMatchObject([{ fields: { region: "us-east-1" } }]);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });

  it("does not take a deletion under another key for done", async () => {
    const both = async () => {
      new Link("docs", { url: "https://example.com/docs" });
      new Link("blog", { url: "https://example.com/blog" });
    };
    const { sandbox, stack } = await openCloud(both);
    await stack.up();
    await stack.configure({ "cloudservices:apiKey": { secret: "sandbox_somebody-else" } });
    expect(await failureOf(stack.up({ program }))).toMatch(/\[KEY_CHANGED\]/);
    expect((await stack.export()).resources).toHaveLength(2);
    expect(sandbox.resources()).toHaveLength(2);
  });
});

describe.each(modes)("the guard of the key, in the mode $api", ({ service, mode }) => {
  it("keeps what a refresh with another tenant's key does not find", async () => {
    const { sandbox, stack } = await openCloud(program, { service, config: mode });
    await stack.up();
    await stack.configure({ "cloudservices:apiKey": { secret: "sandbox_somebody-else" } });
    await stack.up();
    expect(await failureOf(stack.refresh())).toMatch(/\[KEY_CHANGED\]/);
    expect((await stack.export()).resources).toHaveLength(1);
    expect(sandbox.resources()).toHaveLength(1);
  });
});

describe.each(modes)("the guard of the base URL, in the mode $api", ({ service, mode }) => {
  it("touches nothing that lives elsewhere, unless the service is said to have moved", async () => {
    const both = async () => {
      new Link("docs", { url: "https://example.com/docs" });
      new Link("blog", { url: "https://example.com/blog" });
    };
    // Where nothing can be deleted, a replacement is refused for that before anything else.
    const config = { ...mode, "cloudservices:undeletable": "abandon" };
    const { stack } = await openCloud(both, { service, config });
    await stack.up();
    const elsewhere = await openSandbox(service);
    await stack.configure({
      "cloudservices:baseUrl": elsewhere.baseUrl,
      "cloudservices:apiKey": { secret: elsewhere.apiKey },
    });
    const said = await failureOf(stack.up({ program }));
    expect(said).toMatch(
      /belongs to http:\/\/127\.0\.0\.1:\d+\/v1 \[WRONG_SERVICE\]\s+cause: this stack is configured for/,
    );
    expect(said).toContain("cloudservices:formerBaseUrls");
    const replaced = async () => void new Link("docs", { url: "https://example.com/docs", slug: "another" });
    expect(await failureOf(stack.preview({ program: replaced }))).toMatch(/\[WRONG_SERVICE\]/);
    expect(takeRequests(elsewhere)).toEqual([]);
  });
});

describe("the guard of the state's version", () => {
  it("refuses a state that a newer version has written", async () => {
    const { sandbox, stack } = await openCloud(program);
    await stack.up();
    takeRequests(sandbox);
    const state = await stack.export();
    await stack.import({ ...state, text: state.text.replace(/"version":\s*1\b/, '"version":2') });
    expect(await failureOf(stack.destroy())).toContain("a newer version of pulumi-cloudservices");
    expect(takeRequests(sandbox)).toEqual([]);
  });
});

describe.each(modes)("pain: 401, 403 and 5xx are read as gone, in the mode $api", ({ service, mode }) => {
  const config = { ...mode, "cloudservices:maxRetries": "0" };

  it.each([401, 403, 500, 503])("%d keeps the resource and fails the refresh", async (status) => {
    const { sandbox, stack } = await openCloud(program, { service, config });
    await stack.up();
    sandbox.faults.add({ kind: "status", status, when: "before", method: "GET", route: "*" });
    expect(await failureOf(stack.refresh())).toMatch(/Link "docs" \(link_\w+\) not read: .*\[READ_FAILED\]/s);
    expect((await stack.export()).resources).toHaveLength(1);
  });

  it("a gateway's page with a 404 is not a proof of absence", async () => {
    const { sandbox, stack } = await openCloud(program, { service, config });
    await stack.up();
    sandbox.faults.add({ kind: "html", status: 404, when: "before", method: "GET", route: "*" });
    await stack.refresh().catch(() => undefined);
    expect((await stack.export()).resources).toHaveLength(1);
  });
});
