import { Database, Inbox, Link, VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { until } from "../support/processes.js";
import { openProject } from "../support/project.js";
import { failureOf, openStack } from "../support/stack.js";
import { openSandbox, openTestStack, quick, takeRequests } from "../support/test-stack.js";

const url = "https://example.com/";

const links = (...names: string[]) => {
  const declared = names.map((name) => `new Link("${name}", { url: "${url}" });`);
  return { "index.js": `const { Link } = require("pulumi-cloudservices");\n${declared.join("\n")}\n` };
};

const many = (count: number) => async () => {
  for (let number = 0; number < count; number++) {
    new Link(`link-${number}`, { url });
    new Database(`db-${number}`, {
      engine: "postgresql",
      version: "16",
      plan: "db-starter-1",
      region: "eu-central-1",
    });
    new VpsInstance(`web-${number}`, { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });
    new Inbox(`inbox-${number}`, {});
  }
};

describe("the engine's other commands", () => {
  it("up --target, --exclude and --refresh, and state rename and delete, work as documented", async () => {
    const sandbox = await openSandbox();
    const project = await openProject({ files: links("a", "b"), sandbox, config: quick });
    const pulumi = async (...args: string[]) => {
      const { code, stdout, stderr } = await project.pulumi(args);
      return { code, said: stdout + stderr };
    };
    const up = (...args: string[]) => pulumi("up", "--yes", "--skip-preview", ...args);
    expect(await up()).toMatchObject({ code: 0 });
    const [a = "", b = ""] = (await project.export()).resources.map(({ urn }) => urn).sort();

    project.write({ "index.js": links("a", "b")["index.js"].replaceAll(url, `${url}new`) });
    expect((await up("--target", a)).said).toMatch(/~ 1 updated/);
    expect((await up("--exclude", b)).said).not.toMatch(/updated/);
    expect((await up("--refresh")).said).toMatch(/~ 1 updated/);

    // A resource that is renamed in the state and in the program is the same one, slug and all.
    expect(await pulumi("state", "rename", b, "c", "--yes")).toMatchObject({ code: 0 });
    project.write({ "index.js": links("a", "c")["index.js"].replaceAll(url, `${url}new`) });
    takeRequests(sandbox);
    expect(await up("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(takeRequests(sandbox)).toEqual([]);

    // One that the state was made to forget is not doubled.
    expect(await pulumi("state", "delete", a, "--yes")).toMatchObject({ code: 0 });
    const forgotten = await up();
    expect(forgotten.code).not.toBe(0);
    expect(forgotten.said).toMatch(/(link_\w+) already has the derived slug.*\[NAME_IN_USE\].*adopt: "\1"/s);
    expect(sandbox.resources()).toHaveLength(2);
  });
});

describe("a rotated API key", () => {
  it("is stored by the next up, and a refresh before it reports the change", async () => {
    const sandbox = await openSandbox();
    // Two keys of one account.
    const [old, rotated] = ["sandbox_rotating", "sandbox_rotating.readonly"];
    const program = async () => {
      for (const name of ["one", "two"]) new Link(name, { url });
    };
    const config = { "cloudservices:apiKey": { secret: old } };
    const { stack } = await openTestStack(program, { sandbox, config });
    await stack.up();
    stack.configure({ "cloudservices:apiKey": { secret: rotated } });
    sandbox.faults.add({ kind: "status", status: 401, when: "before" });
    for (const operation of [stack.refresh, stack.destroy])
      expect(await failureOf(operation())).toMatch(/pulumi up once.*--run-program/s);
    sandbox.faults.clear();

    takeRequests(sandbox);
    expect((await stack.up()).summary).toEqual({ same: 2 });
    expect(takeRequests(sandbox)).toEqual([]);
    expect((await stack.refresh()).summary).toEqual({ same: 2 });
    // Seen under the new key, so "not found" under it is a proof from now on.
    await sandbox.remove(sandbox.resources()[0]?.id ?? "");
    await stack.refresh();
    expect((await stack.export()).resources).toHaveLength(1);
  });
});

describe("many resources at once", () => {
  it("thirty of each kind are created once each, while responses are lost", async () => {
    const { sandbox, stack } = await openTestStack(many(30));
    for (const route of ["/shortener/links", "/databases", "/vps/instances", "/tempmail/inboxes"])
      sandbox.faults.add({ kind: "drop", when: "after", method: "POST", route, count: 6 });
    expect((await stack.up({ parallel: 64 })).summary).toEqual({ create: 120 });
    expect(sandbox.faults.list().every(({ struck }) => struck === 6)).toBe(true);
    const ids = (await stack.export()).resources.map(({ id }) => id).sort();
    expect(
      sandbox
        .resources()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids);
  });

  it("two stacks on one account do not interfere", async () => {
    const sandbox = await openSandbox();
    const open = (name: string) => openStack({ program: many(3), sandbox, config: quick, name });
    const [one, two] = await Promise.all([open("one"), open("two")]);
    const ups = await Promise.all([one.up(), two.up()]);
    expect(ups.map(({ summary }) => summary)).toEqual([{ create: 12 }, { create: 12 }]);
    await Promise.all([one.destroy(), two.refresh()]);
    expect((await two.preview()).summary).toEqual({ same: 12 });
    expect(sandbox.resources()).toHaveLength(12);
  });

  it("the engine's lock rejects a second run of one stack, and nothing is duplicated", async () => {
    const sandbox = await openSandbox();
    const project = await openProject({ files: links("a"), sandbox, config: quick });
    sandbox.faults.add({
      kind: "slow",
      method: "POST",
      route: "/shortener/links",
      when: "before",
      ms: 5_000,
      count: 1,
    });
    const first = project.pulumi(["up", "--yes", "--skip-preview"]);
    await until(() => sandbox.faults.list().some(({ struck }) => struck > 0), "the creation");
    const second = await project.pulumi(["up", "--yes", "--skip-preview"]);
    expect(second.code).not.toBe(0);
    expect(second.stdout + second.stderr).toMatch(/locked/);
    expect(await first).toMatchObject({ code: 0 });
    expect(sandbox.resources()).toHaveLength(1);
  });
});
