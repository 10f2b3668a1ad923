import { Link, VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { modes } from "../support/modes.js";
import { failureOf } from "../support/stack.js";
import { openSandbox, openTestStack, takeRequests } from "../support/test-stack.js";

const program = async () => void new Link("docs", { url: "https://example.com/docs" });

/** Returns an exported state with other lines in its `__state`. */
const withLines = (text: string, change: (line: unknown[]) => unknown[]): string =>
  text.replace(/(?<="__state": )".*"/g, (line) =>
    JSON.stringify(JSON.stringify(change(JSON.parse(JSON.parse(line))))),
  );

describe("pain: a refresh with another tenant's key empties the state", () => {
  it("an unknown id with another key is an error until the change is accepted", async () => {
    const { sandbox, stack } = await openTestStack(program);
    await stack.up();
    stack.configure({ "cloudservices:apiKey": { secret: "sandbox_somebody-else" } });
    // Refresh uses the configuration in the state; an up of the program brings the new one there.
    expect((await stack.up()).summary).toEqual({ same: 1 });
    expect(await failureOf(stack.refresh())).toMatch(/\[KEY_CHANGED\]/);
    const renamed = async () => void new Link("docs", { url: "https://example.com/renamed" });
    expect(await failureOf(stack.up({ program: renamed }))).toMatch(/\[KEY_CHANGED\]/);
    expect((await stack.export()).resources).toHaveLength(1);
    expect(sandbox.resources()).toHaveLength(1);

    stack.configure({ "cloudservices:acceptKeyChange": "true" });
    await stack.up({ program });
    await stack.refresh();
    expect((await stack.export()).resources).toEqual([]);
    expect((await stack.up()).summary).toEqual({ create: 1 });
  });

  const server = (region: string) => async () =>
    void new VpsInstance("web", { plan: "vps-micro-1", region, image: "debian-12" });

  it("a key of another account replaces nothing", async () => {
    const { sandbox, stack } = await openTestStack(server("eu-central-1"));
    await stack.up();
    stack.configure({ "cloudservices:apiKey": { secret: "sandbox_somebody-else" } });
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

  it("a new key of the same account replaces without a refresh", async () => {
    const { sandbox, stack } = await openTestStack(server("eu-central-1"));
    await stack.up();
    // As if the last run had another key: what the state keeps of it is a fingerprint.
    const state = await stack.export();
    const text = withLines(state.text, ([baseUrl, , ...rest]) => [baseUrl, "another", ...rest]);
    expect(text).not.toBe(state.text);
    await stack.import({ ...state, text });
    expect((await stack.up({ program: server("us-east-1") })).summary).toEqual({ replace: 1 });
    expect(sandbox.resources()).toMatchObject([{ fields: { region: "us-east-1" } }]);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });

  it("a deletion that finds nothing with another key does not count as done", async () => {
    const both = async () => {
      new Link("docs", { url: "https://example.com/docs" });
      new Link("blog", { url: "https://example.com/blog" });
    };
    const { sandbox, stack } = await openTestStack(both);
    await stack.up();
    stack.configure({ "cloudservices:apiKey": { secret: "sandbox_somebody-else" } });
    expect(await failureOf(stack.up({ program }))).toMatch(/\[KEY_CHANGED\]/);
    expect((await stack.export()).resources).toHaveLength(2);
    expect(sandbox.resources()).toHaveLength(2);
  });
});

describe.each(modes)("the API key guard, in the mode $api", ({ service, mode }) => {
  it("keeps resources that a refresh with another tenant's key does not find", async () => {
    const { sandbox, stack } = await openTestStack(program, { service, config: mode });
    await stack.up();
    stack.configure({ "cloudservices:apiKey": { secret: "sandbox_somebody-else" } });
    await stack.up();
    expect(await failureOf(stack.refresh())).toMatch(/\[KEY_CHANGED\]/);
    expect((await stack.export()).resources).toHaveLength(1);
    expect(sandbox.resources()).toHaveLength(1);
  });
});

describe.each(modes)("the base URL guard, in the mode $api", ({ service, mode }) => {
  it("changes no resource of another service, unless the setting says that the service moved", async () => {
    const both = async () => {
      new Link("docs", { url: "https://example.com/docs" });
      new Link("blog", { url: "https://example.com/blog" });
    };
    // Where nothing can be deleted, a replacement is refused for that before anything else.
    const config = { ...mode, "cloudservices:undeletable": "abandon" };
    const { stack } = await openTestStack(both, { service, config });
    await stack.up();
    const elsewhere = await openSandbox(service);
    stack.configure({
      "cloudservices:baseUrl": elsewhere.baseUrl,
      "cloudservices:apiKey": { secret: elsewhere.apiKey },
    });
    const said = await failureOf(stack.up({ program }));
    expect(said).toMatch(
      /belongs to http:\/\/127\.0\.0\.1:\d+\/v1 \[WRONG_SERVICE\]\s+cause: the configured service is http/,
    );
    expect(said).toContain("cloudservices:formerBaseUrls");
    const replaced = async () => void new Link("docs", { url: "https://example.com/docs", slug: "another" });
    expect(await failureOf(stack.preview({ program: replaced }))).toMatch(/\[WRONG_SERVICE\]/);
    expect(takeRequests(elsewhere)).toEqual([]);
  });
});

describe("the state version guard", () => {
  it("rejects a state that a newer version wrote", async () => {
    const { sandbox, stack } = await openTestStack(program);
    await stack.up();
    takeRequests(sandbox);
    const state = await stack.export();
    const text = withLines(state.text, (line) => Object.assign(line, { 5: { version: 2 } }));
    await stack.import({ ...state, text });
    expect(await failureOf(stack.destroy())).toContain("[STATE_TOO_NEW]");
    expect(takeRequests(sandbox)).toEqual([]);
  });
});

describe.each(modes)(
  "pain: 401, 403 and 5xx are taken for a deletion, in the mode $api",
  ({ service, mode }) => {
    const config = { ...mode, "cloudservices:maxRetries": "0" };

    it("a refresh keeps the resource", async () => {
      const { sandbox, stack } = await openTestStack(program, { service, config });
      await stack.up();
      for (const status of [401, 403, 500, 503]) {
        sandbox.faults.add({ kind: "status", status, when: "before", method: "GET", route: "*" });
        expect(await failureOf(stack.refresh()), `${status} fails the refresh`).toMatch(
          /Link "docs" \(link_\w+\) not read: .*\[READ_FAILED\]/s,
        );
        expect((await stack.export()).resources, `${status} keeps the resource`).toHaveLength(1);
        sandbox.faults.clear();
      }
      // A gateway's page with a 404 does not prove absence.
      sandbox.faults.add({ kind: "html", status: 404, when: "before", method: "GET", route: "*" });
      await stack.refresh().catch(() => undefined);
      expect((await stack.export()).resources, "a gateway's page keeps the resource").toHaveLength(1);
    });
  },
);
