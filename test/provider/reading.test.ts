import { CloudServices } from "cloudservices-sdk";
import { Link } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { failureOf } from "../support/stack.js";
import { openSandbox, openTestStack, takeRequests } from "../support/test-stack.js";

const links = (count: number) => async () => {
  for (let number = 0; number < count; number++)
    new Link(`link-${number}`, { url: `https://example.com/${number}` });
};

describe("pain: a refresh of N resources takes N requests", () => {
  it("reads whole pages", async () => {
    const { sandbox, stack } = await openTestStack(links(120));
    await stack.up();
    takeRequests(sandbox);
    expect((await stack.refresh()).summary).toEqual({ same: 120 });
    expect(takeRequests(sandbox)).toEqual(["GET /shortener/links", "GET /shortener/links"]);
  });

  it("reads one by one when the account has many other resources", async () => {
    const sandbox = await openSandbox();
    const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
    const others = Array.from({ length: 2_000 }, (_, number) =>
      client.links.create({ url: `https://other.test/${number}` }),
    );
    await Promise.all(others);
    const { stack } = await openTestStack(links(10), { sandbox });
    await stack.up();
    takeRequests(sandbox);
    expect((await stack.refresh()).summary).toEqual({ same: 10 });
    expect(takeRequests(sandbox).length).toBeLessThanOrEqual(12);
  });

  it("confirms with a direct read that a resource missing from a listing is deleted", async () => {
    const { sandbox, stack } = await openTestStack(links(2));
    await stack.up();
    await stack.refresh();
    const [gone] = sandbox.resources();
    await sandbox.remove(gone?.id ?? "");
    takeRequests(sandbox);
    await stack.refresh();
    expect(takeRequests(sandbox)).toEqual(["GET /shortener/links", `GET /shortener/links/${gone?.id}`]);
    expect((await stack.export()).resources).toHaveLength(1);
  });

  it("reads a new resource up to five times, because reads may lag behind its creation", async () => {
    const { sandbox, stack } = await openTestStack(links(1));
    await stack.up();
    const [gone] = sandbox.resources();
    await sandbox.remove(gone?.id ?? "");
    takeRequests(sandbox);
    await stack.refresh();
    const direct = takeRequests(sandbox).filter((request) => request === `GET /shortener/links/${gone?.id}`);
    expect(direct).toHaveLength(5);
    expect((await stack.export()).resources).toEqual([]);
  });

  it("reads a resource directly when a listing omits fields, so that drift is detected", async () => {
    const { sandbox, stack } = await openTestStack(links(1), { service: { summaryLists: true } });
    await stack.up();
    sandbox.change(sandbox.resources()[0]?.id ?? "", { destination_url: "https://evil.test/" });
    await stack.refresh();
    expect((await stack.preview()).summary).toEqual({ update: 1 });
  });
});

describe("get", () => {
  it("reads an existing resource without managing it", async () => {
    const sandbox = await openSandbox();
    const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
    const { id } = await client.links.create({ url: "https://example.com/existing", slug: "existing" });
    const program = async () => {
      const link = Link.get("existing", id);
      return { shortUrl: link.shortUrl, url: link.url };
    };
    const { stack } = await openTestStack(program, { sandbox });
    const up = await stack.up();
    expect(up.outputs["shortUrl"]?.value).toMatch(/\/existing$/);
    expect(up.outputs["url"]?.value).toBe("https://example.com/existing");
    await stack.destroy();
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("fails when it does not exist", async () => {
    const { stack } = await openTestStack(async () => void Link.get("missing", "link_missing"));
    expect(await failureOf(stack.up())).toMatch(/Link "missing" \(link_missing\).*\[GET_NOT_FOUND\]/);
  });
});
