import type { Fault, Sandbox } from "cloudservices-sandbox";
import { BackupSchedule, Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { failureOf } from "../support/stack.js";
import { openSandbox, openTestStack, takeRequests } from "../support/test-stack.js";

const database = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" };
const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
const webhook = {
  url: "https://hooks.example.com/",
  events: ["database.backup.failed"],
  secret: "a-signing-secret",
};

const kinds = {
  Link: { route: "/shortener/links", declare: () => void new Link("it", { url: "https://example.com/" }) },
  Database: { route: "/databases", declare: () => void new Database("it", database) },
  VpsInstance: { route: "/vps/instances", declare: () => void new VpsInstance("it", server) },
  Inbox: { route: "/tempmail/inboxes", declare: () => void new Inbox("it", {}) },
  Webhook: { route: "/webhooks", declare: () => void new Webhook("it", webhook) },
};

const lost: Record<string, Fault> = {
  "a 500 after the commit": { kind: "status", status: 500, when: "after", method: "POST", count: 1 },
  "a connection dropped after the commit": { kind: "drop", when: "after", method: "POST", count: 1 },
  "a gateway's page after the commit": { kind: "html", status: 502, when: "after", method: "POST", count: 1 },
};

/** The half that arrives shows the id. */
const cut: Fault = { kind: "cut", method: "POST", count: 1 };

const refused: Record<string, Fault> = {
  "a 500 before the commit": { kind: "status", status: 500, when: "before", method: "POST", count: 1 },
  "a connection dropped before the commit": { kind: "drop", when: "before", method: "POST", count: 1 },
};

const listed = ["Link", "Database", "VpsInstance", "Inbox"] as const;

function strike(sandbox: Sandbox, fault: Fault, ...struck: (keyof typeof kinds)[]) {
  for (const kind of struck) sandbox.faults.add({ ...fault, route: kinds[kind].route });
}

describe("pain: a retry after a lost response creates a duplicate", () => {
  it.each(Object.entries(lost))(
    "after %s, the resource is found and kept; a webhook fails",
    async (_what, fault) => {
      const { sandbox, stack } = await openTestStack(async () => {
        for (const kind of listed) kinds[kind].declare();
      });
      strike(sandbox, fault, ...listed);
      expect((await stack.up()).summary).toEqual({ create: 4 });
      expect(sandbox.faults.list().map(({ struck }) => struck)).toEqual([1, 1, 1, 1]);
      const ids = sandbox.resources().map(({ id }) => id);
      expect((await stack.export()).resources.map(({ id }) => id).sort()).toEqual(ids.sort());
      expect((await stack.preview()).summary).toEqual({ same: 4 });

      // Another client may have registered the same webhook, so it is named and not adopted.
      strike(sandbox, fault, "Webhook");
      takeRequests(sandbox);
      const said = await failureOf(stack.up({ program: async () => kinds.Webhook.declare() }));
      const made = sandbox.resources().find(({ kind }) => kind === "Webhook");
      expect(said).toMatch(
        /Webhook "it" may have been created \[CREATE_OUTCOME_UNKNOWN\].*It was not retried/s,
      );
      expect(said).toContain(`adopt: "${made?.id}"`);
      expect(takeRequests(sandbox).filter((request) => request === "POST /webhooks")).toHaveLength(1);
      expect(sandbox.resources().filter(({ kind }) => kind === "Webhook")).toHaveLength(1);
    },
  );

  it("after a response that was cut behind the id, the resource is read and kept", async () => {
    const all = [...listed, "Webhook"] as const;
    const { sandbox, stack } = await openTestStack(async () => {
      for (const kind of all) kinds[kind].declare();
    });
    strike(sandbox, cut, ...all);
    expect((await stack.up()).summary).toEqual({ create: all.length });
    expect(sandbox.faults.list().map(({ struck }) => struck)).toEqual(all.map(() => 1));
    const ids = sandbox.resources().map(({ id }) => id);
    expect((await stack.export()).resources.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect((await stack.preview()).summary).toEqual({ same: all.length });
  });

  it.each(Object.entries(refused))(
    "after %s, only harmless creations are retried, and the next run creates exactly one of the others",
    async (_what, fault) => {
      const { sandbox, stack } = await openTestStack(async () => {
        for (const kind of listed) kinds[kind].declare();
      });
      strike(sandbox, fault, ...listed);
      expect(await failureOf(stack.up({ parallel: 4 }))).toContain("[CREATE_OUTCOME_UNKNOWN]");
      expect((await stack.up()).summary).toMatchObject({ create: expect.any(Number) });
      expect(sandbox.resources()).toHaveLength(4);
      expect((await stack.preview()).summary).toEqual({ same: 4 });
    },
  );

  it("a backup schedule is retried, because its PUT is idempotent", async () => {
    const { sandbox, stack } = await openTestStack(async () => {
      const orders = new Database("orders", database);
      new BackupSchedule("nightly", {
        databaseId: orders.id,
        frequency: "daily",
        hourUtc: 3,
        retentionDays: 7,
      });
    });
    sandbox.faults.add({
      kind: "drop",
      when: "after",
      method: "PUT",
      route: "/databases/:id/backup-schedule",
      count: 1,
    });
    expect((await stack.up()).summary).toEqual({ create: 2 });
  });

  it.each(Object.entries(lost))(
    "after %s, in the mode `documented`, a link is found in the list, an inbox is retried, and the others fail",
    async (_what, fault) => {
      const stopping = ["Database", "VpsInstance", "Webhook"] as const;
      const unlisted = [...stopping, "Inbox"] as const;
      const { sandbox, stack } = await openTestStack(async () => kinds.Link.declare(), {
        service: { profile: "documented" },
        config: { "cloudservices:api": "documented" },
      });
      strike(sandbox, fault, "Link", ...unlisted);
      expect((await stack.up()).summary).toEqual({ create: 1 });
      const program = async () => {
        for (const kind of ["Link", ...unlisted] as const) kinds[kind].declare();
      };
      const said = await failureOf(stack.up({ program, continueOnError: true }));
      for (const kind of stopping)
        expect(said).toContain(`${kind} "it" may have been created [CREATE_OUTCOME_UNKNOWN]`);
      expect(said).not.toContain('Inbox "it" may have been created');
      const made = sandbox.resources().map(({ kind }) => kind);
      expect(made.sort()).toEqual(["Link", ...unlisted, "Inbox"].sort());
      expect(sandbox.journal().filter(({ method }) => method === "POST")).toHaveLength(3 + unlisted.length);
    },
  );

  it("after a response that was cut behind the id, in the mode `documented`, the resource stays in the state", async () => {
    const all = ["Link", "Database", "VpsInstance", "Webhook", "Inbox"] as const;
    const { sandbox, stack } = await openTestStack(
      async () => {
        for (const kind of all) kinds[kind].declare();
      },
      { service: { profile: "documented" }, config: { "cloudservices:api": "documented" } },
    );
    strike(sandbox, cut, ...all);
    await failureOf(stack.up({ continueOnError: true }));
    const ids = sandbox.resources().map(({ id }) => id);
    expect(ids).toHaveLength(all.length);
    expect((await stack.export()).resources.map(({ id }) => id).sort()).toEqual(ids.sort());
    await stack.up();
    expect((await stack.preview()).summary).toEqual({ same: all.length });
    expect(sandbox.journal().filter(({ method }) => method === "POST")).toHaveLength(all.length);
  });
});

describe("pain: adopting by name takes over another owner's resource", () => {
  it("a resource with a given name is never assumed to be ours after a lost response", async () => {
    const { sandbox, stack } = await openTestStack(
      async () => void new Database("it", { ...database, name: "orders" }),
    );
    sandbox.faults.add({ kind: "drop", when: "after", method: "POST", route: "/databases", count: 1 });
    const said = await failureOf(stack.up());
    expect(said).toContain(`adopt: "${sandbox.resources()[0]?.id}"`);
    expect((await stack.export()).resources).toEqual([]);
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("a given name that already exists is not created again, unless the stack allows duplicates", async () => {
    const sandbox = await openSandbox();
    const program = async () => {
      new Database("it", { ...database, name: "orders" });
      kinds.Webhook.declare();
    };
    await (await openTestStack(program, { sandbox })).stack.up();
    const second = await openTestStack(program, { sandbox });
    const said = await failureOf(second.stack.up({ continueOnError: true }));
    expect(said).toMatch(
      /Database "it" not created: the service already has db_\S+ with the same name \[POSSIBLE_DUPLICATE\]/,
    );
    expect(said).toMatch(
      /Webhook "it" not created: the service already has wh_\S+ with the same url and events \[POSSIBLE_DUPLICATE\]/,
    );
    expect(sandbox.resources()).toHaveLength(2);

    second.stack.configure({ "cloudservices:duplicates": "allow" });
    expect((await second.stack.up()).summary).toEqual({ create: 2 });
    expect(sandbox.resources()).toHaveLength(4);
  });

  it("a given name of another stack is created when the returned fields differ", async () => {
    const sandbox = await openSandbox();
    const web = (plan: string) => async () => void new VpsInstance("web", { ...server, plan, name: "web" });
    const dev = await openTestStack(web("vps-micro-1"), { sandbox, name: "dev" });
    await dev.stack.up();
    const prod = await openTestStack(web("vps-standard-2"), { sandbox, name: "prod" });
    const up = await prod.stack.up();
    expect(up.summary).toEqual({ create: 1 });
    expect(up.stdout).toMatch(/although the service has vps_\w+ of the same name/);
    expect((await prod.stack.destroy()).summary).toEqual({ delete: 1 });
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("the preview rejects the same name twice in one program", async () => {
    const { sandbox, stack } = await openTestStack(async () => {
      new Database("one", { ...database, name: "orders" });
      new Database("two", { ...database, name: "orders" });
    });
    // The engine may check either of the two first.
    expect(await failureOf(stack.preview())).toMatch(
      /name and all other inputs are also those of Database \\*"(one|two)/,
    );
    expect(sandbox.resources()).toEqual([]);
    // Without a preview, the engine creates the first before it checks the second.
    expect(await failureOf(stack.up())).toContain("name and all other inputs are also those of");
    expect(sandbox.resources().length).toBeLessThanOrEqual(1);
    stack.configure({ "cloudservices:duplicates": "allow" });
    await stack.up();
    expect(sandbox.resources()).toHaveLength(2);
    stack.configure({ "cloudservices:duplicates": "error" });
    expect((await stack.up()).summary).toEqual({ same: 2 });
  });

  it("a derived name that already exists stops the creation, unless the stack allows taking over", async () => {
    const sandbox = await openSandbox();
    const program = async () => void new Database("it", database);
    const first = await openTestStack(program, { sandbox });
    await first.stack.up();
    const twin = await openTestStack(program, { sandbox });
    const said = await failureOf(twin.stack.up());
    expect(said).toMatch(
      /not created: db_\w+ already has the derived name .*\[NAME_IN_USE\].*cloudservices:namespace/s,
    );
    expect(sandbox.resources()).toHaveLength(1);

    twin.stack.configure({ "cloudservices:namespace": "twin" });
    expect((await twin.stack.up()).summary).toEqual({ create: 1 });
    expect(sandbox.resources()).toHaveLength(2);
  });

  it("a derived slug that another account has is skipped for the next candidate, and the next preview is empty", async () => {
    const sandbox = await openSandbox();
    const program = async () => {
      const link = new Link("it", { url: "https://example.com/" });
      return { slug: link.slug };
    };
    const { stack } = await openTestStack(program, { sandbox });
    sandbox.faults.add({
      kind: "status",
      status: 409,
      when: "before",
      method: "POST",
      route: "/shortener/links",
      count: 1,
      code: "CONFLICT",
    });
    await stack.up();
    expect((await stack.up()).summary).toEqual({ same: 1 });
    await stack.refresh();
    expect((await stack.up()).summary).toEqual({ same: 1 });
    const changed = async () => void new Link("it", { url: "https://example.com/other" });
    expect((await stack.up({ program: changed })).summary).toEqual({ update: 1 });
  });
});

describe("the listing before a creation", () => {
  it.each([403, 404])("with status %d creates everything, with one warning per kind", async (status) => {
    const { sandbox, stack } = await openTestStack(async () => {
      for (const kind of ["Database", "VpsInstance", "Inbox", "Webhook"] as const) kinds[kind].declare();
      new Database("second", database);
    });
    for (const { route } of Object.values(kinds))
      sandbox.faults.add({ kind: "status", status, when: "before", method: "GET", route, code: "NO" });
    const up = await stack.up();
    expect(up.summary).toEqual({ create: 5 });
    expect(up.stdout.match(/does not list existing resources/g)?.length).toBeGreaterThanOrEqual(4);
    expect(sandbox.resources()).toHaveLength(5);
  });

  it("happens once for all links that an interrupted run left", async () => {
    const program = async () => {
      for (let number = 0; number < 120; number++)
        new Link(`link-${number}`, { url: `https://example.com/${number}` });
    };
    const { sandbox, stack } = await openTestStack(program, {
      config: { "cloudservices:adoptInterrupted": "true" },
    });
    const empty = await stack.export();
    await stack.up();
    await stack.import(empty);
    takeRequests(sandbox);
    expect((await stack.up()).summary).toEqual({ create: 120 });
    const requests = takeRequests(sandbox).filter((request) => !request.startsWith("PATCH"));
    expect(requests.filter((request) => request === "GET /shortener/links")).toHaveLength(2);
    expect(requests).toHaveLength(122);
    expect(sandbox.resources()).toHaveLength(120);
  });
});

describe("a forced replacement", () => {
  const first = { deleteBeforeReplace: true };
  const web = { ...server, name: "web" };

  it("that deletes first creates each resource again, with its dependents", async () => {
    const program = async () => {
      const a = new VpsInstance("a", web, first);
      new VpsInstance("b", { ...server, name: "b" }, { ...first, dependsOn: [a] });
      new VpsInstance("c", server, { ...first, dependsOn: [a] });
      const one = new Inbox("one", {}, first);
      new Inbox("two", {}, { ...first, dependsOn: [one] });
    };
    const { sandbox, stack } = await openTestStack(program);
    await stack.up();
    const before = sandbox.resources().map(({ id }) => id);
    const urns = (await stack.export()).resources.map(({ urn }) => urn);
    expect((await stack.up({ replace: urns })).summary).toEqual({ replace: 5 });
    const after = sandbox.resources().map(({ id }) => id);
    expect(after).toHaveLength(5);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    expect((await stack.export()).resources.map(({ id }) => id).sort()).toEqual(after.sort());
  });

  it("with adoptInterrupted never takes over what this run has deleted", async () => {
    const program = async () => {
      const one = new Inbox("one", {}, first);
      new Inbox("two", {}, { ...first, dependsOn: [one] });
    };
    const { sandbox, stack } = await openTestStack(program, {
      config: { "cloudservices:adoptInterrupted": "true" },
    });
    await stack.up();
    const urns = (await stack.export()).resources.map(({ urn }) => urn);
    await stack.up({ replace: urns });
    const there = sandbox.resources().map(({ id }) => id);
    expect(there).toHaveLength(2);
    expect((await stack.export()).resources.map(({ id }) => id).sort()).toEqual(there.sort());
  });

  it("with adoptInterrupted fails when it takes over its predecessor, and the next run succeeds", async () => {
    const program = async () => void new VpsInstance("web", server);
    const { sandbox, stack } = await openTestStack(program, {
      config: { "cloudservices:adoptInterrupted": "true" },
    });
    await stack.up();
    const ids = sandbox.resources().map(({ id }) => id);
    const urns = (await stack.export()).resources.map(({ urn }) => urn);
    expect(await failureOf(stack.up({ replace: urns }))).toMatch(
      /VpsInstance "web" \(\w+\) was not replaced.*\[NOT_REPLACED\].*deleteBeforeReplace: true/s,
    );
    await stack.up();
    expect((await stack.preview()).summary).toEqual({ same: 1 });
    expect((await stack.export()).resources.map(({ id }) => id)).toEqual(ids);
    expect(sandbox.resources().map(({ id }) => id)).toEqual(ids);
  });
});

describe("a resource that is deleted before its replacement", () => {
  it("does not block the replacement, although an earlier creation had listed it", async () => {
    const program =
      (region: string, ...more: string[]) =>
      async () => {
        for (const name of more) new Inbox(name, {});
        const web = new VpsInstance("web", { ...server, region, name: "web" }, { deleteBeforeReplace: true });
        new Inbox("dependent", { webhookUrl: web.id.apply((id) => `https://example.com/${id}`) });
      };
    const { sandbox, stack } = await openTestStack(program("eu-central-1"));
    await stack.up();
    await stack.up({ program: program("us-east-1", "fresh") });
    expect(
      sandbox
        .resources()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(["Inbox", "Inbox", "VpsInstance"]);
    expect((await stack.preview()).summary).toEqual({ same: 3 });
  });
});
