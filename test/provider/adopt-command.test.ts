import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox, Seed } from "cloudservices-sandbox";
import { CloudServices } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { command } from "../support/command.js";
import { openProject, type TestProject } from "../support/project.js";
import { expectNoSecrets } from "../support/secrets.js";
import { openSandbox, quick, takeRequests } from "../support/test-stack.js";

/*
 * `pulumi-cloudservices adopt` on an account of all kinds, and what the engine makes of the program that it writes.
 */

const region = "eu-central-1";
const many = (count: number, make: (at: number) => Seed[number]) =>
  Array.from({ length: count }, (_, at) => make(at));

/** Starts a sandbox with an account of all kinds, of which no state knows. */
async function openAccount(links: number, others: number): Promise<Sandbox> {
  const sandbox = await openSandbox();
  const seeded = await sandbox.seed([
    ...many(links, (at) => ({
      kind: "Link",
      // Labels that are no names in a program, and one that looks like code.
      fields: {
        url: `https://example.com/${at}?q="\${x}"`,
        slug: at === 0 ? "new" : `link_${at}`,
        title: "T",
      },
    })),
    ...many(others, (at) => ({
      kind: "Database",
      // Two of one name, and one without a letter.
      fields: {
        name: ["twin", "twin", "数据库"][at] ?? `db ${at}`,
        engine: "mysql",
        version: "8.0",
        plan: "db-standard-2",
        region,
      },
    })),
    ...many(others, (at) => ({
      kind: "VpsInstance",
      fields: { name: `web ${at}`, plan: "vps-micro-1", region, image: "debian-12", backups_enabled: true },
    })),
    ...many(others, (at) => ({ kind: "Inbox", fields: { prefix: `signup${at}`, ttl_minutes: 600 } })),
    ...many(others, (at) => ({
      kind: "Webhook",
      fields: {
        url: `https://example.com/hook/${at}`,
        events: ["database.backup.failed"],
        secret: `the-secret-of-${at}`,
      },
    })),
  ]);
  const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
  for (const { kind, id } of seeded)
    if (kind === "Database")
      await client.databases.setBackupSchedule(id, { frequency: "daily", hourUtc: 4, retentionDays: 14 });
  takeRequests(sandbox);
  return sandbox;
}

const known = [
  "Database.plan=db-standard-2",
  `Database.region=${region}`,
  "VpsInstance.image=debian-12",
].flatMap((value) => ["--set", value]);

const printed = z.object({
  resources: z.array(
    z.object({ kind: z.string(), id: z.string(), name: z.string(), unread: z.array(z.string()) }),
  ),
  secrets: z.array(z.string()),
  files: z.array(z.string()),
});

async function adopt(project: TestProject, ...args: string[]) {
  const { code, stdout, stderr } = await command(project, ["adopt", "--json", ...args]);
  expect(code, stderr).toBe(0);
  return printed.parse(JSON.parse(stdout));
}

async function succeed(project: TestProject, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.pulumi(args);
  expect(code, (stdout + stderr).slice(-3_000)).toBe(0);
  return stdout + stderr;
}

/** Gives the stack the secrets of the webhooks, under the settings that the program reads. */
const configure = (project: TestProject, secrets: readonly string[]) =>
  project.configure(
    Object.fromEntries(
      secrets.map((key) => [`test:${key}`, { secret: `the-secret-of-${/(\d*)-secret$/.exec(key)?.[1]}` }]),
    ),
  );

const changing = (sandbox: Sandbox) =>
  takeRequests(sandbox).filter((request) => !/^(GET|PATCH|PUT) /.test(request));

describe("`pulumi-cloudservices adopt`", () => {
  it("writes a program that takes an account of 200 resources over, after which a preview is empty", async () => {
    const sandbox = await openAccount(120, 16);
    const before = sandbox.resources();
    expect(before).toHaveLength(200);
    const project = await openProject({
      files: { "index.ts": 'import "./adopted";\n' },
      sandbox,
      config: quick,
    });

    const found = await adopt(project, ...known);
    expect(found.resources).toHaveLength(200);
    expect(found.files).toEqual(["adopted.ts"]);
    expect(found.secrets).toHaveLength(16);
    expect(takeRequests(sandbox).every((request) => request.startsWith("GET "))).toBe(true);
    await configure(project, found.secrets);

    expect(await succeed(project, "up", "--yes", "--skip-preview")).toMatch(/201 created/);
    expect(changing(sandbox)).toEqual([]);
    expect(sandbox.resources().map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    await succeed(project, "preview", "--expect-no-changes");
    await succeed(project, "refresh", "--yes", "--skip-preview", "--expect-no-changes");
    const servers = sandbox.resources().filter(({ kind }) => kind === "VpsInstance");
    expect(servers.every(({ fields }) => fields["backups_enabled"] === true)).toBe(true);

    expect((await adopt(project, "--list")).resources).toEqual([]);
    const again = await command(project, ["adopt"]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("adopted.ts exists already");
  });

  it("writes a file for `pulumi import`, which sends nothing that changes anything", async () => {
    const sandbox = await openAccount(2, 3);
    const project = await openProject({
      files: { "index.ts": 'import "./adopted";\n' },
      sandbox,
      config: quick,
      native: true,
    });
    const found = await adopt(project, "--native", ...known);
    expect(found.files).toEqual(["adopted.ts", "import.json"]);
    await configure(project, found.secrets);
    const importing = [
      "import",
      "--yes",
      "--generate-code=false",
      "--protect=false",
      "--file",
      "import.json",
    ];
    expect(await succeed(project, ...importing)).toMatch(/17 imported/);
    await succeed(project, "preview", "--expect-no-changes");
    await succeed(project, "up", "--yes", "--skip-preview");
    expect(takeRequests(sandbox).every((request) => request.startsWith("GET "))).toBe(true);
  });

  it("says what it cannot know, and a preview refuses to run until that is filled in", async () => {
    const sandbox = await openAccount(0, 1);
    const project = await openProject({
      files: { "index.ts": 'import "./adopted";\n' },
      sandbox,
      config: quick,
    });
    const { code, stdout } = await command(project, ["adopt"]);
    expect(code).toBe(0);
    expect(stdout).toContain("5 of 5 resources of the account are in no state of the project.");
    expect(stdout).toContain(
      "fill in what the service does not return: Database.plan, Database.region, VpsInstance.image",
    );
    expect(stdout).toContain("pulumi config set --secret webhook-example.com-secret");
    const program = readFileSync(join(project.folder, "adopted.ts"), "utf8");
    expect(program).toContain('plan: "", // not returned by the service: fill it in');
    expectNoSecrets(program + stdout, { apiKey: sandbox.apiKey, webhook: "the-secret-of-0" });
    await configure(project, ["webhook-example.com-secret"]);
    const preview = await project.pulumi(["preview"]);
    expect(preview.code).not.toBe(0);
    expect(preview.stdout + preview.stderr).toMatch(/must not be empty/);
  });
});
