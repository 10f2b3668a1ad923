import { describe, expect, it } from "vitest";
import { z } from "zod";
import { command } from "../support/command.js";
import { openProject, type ProjectOptions } from "../support/project.js";
import { expectNoSecrets } from "../support/secrets.js";
import { openSandbox, quick, takeRequests } from "../support/test-stack.js";

const printed = z.object({
  ok: z.boolean(),
  checks: z.array(
    z.object({ name: z.string(), status: z.string(), fact: z.string(), fix: z.string().optional() }),
  ),
  routes: z.array(z.object({ method: z.string(), path: z.string(), status: z.string() })),
});

const open = (options: Partial<ProjectOptions>) =>
  openProject({
    files: {
      "index.js": 'new (require("pulumi-cloudservices").Link)("docs", { url: "https://example.com/" });\n',
    },
    config: quick,
    ...options,
  });

/** Runs the command, and returns its checks by name. */
async function examine(project: Awaited<ReturnType<typeof open>>, changes: NodeJS.ProcessEnv = {}) {
  const environment = { ...process.env, ...changes };
  const { code, stdout, stderr } = await command(project, ["doctor", "--json"], environment);
  const { ok, checks, routes } = printed.parse(JSON.parse(stdout || JSON.stringify(stderr)));
  expect(code).toBe(ok ? 0 : 1);
  return { ok, routes, byName: Object.fromEntries(checks.map((check) => [check.name, check])), stdout };
}

describe("`pulumi-cloudservices doctor`", () => {
  it("finds a sound set-up sound, and changes nothing", async () => {
    const sandbox = await openSandbox();
    const project = await open({ sandbox });
    expect((await project.pulumi(["up", "--yes", "--skip-preview"])).code).toBe(0);
    takeRequests(sandbox);
    const { ok, byName, routes, stdout } = await examine(project);
    expect(ok, stdout).toBe(true);
    const names = [
      "engine",
      "node",
      "packages",
      "@pulumi/pulumi",
      "stack",
      "apiKey",
      "baseUrl",
      "proxy",
      "service",
    ];
    expect(Object.keys(byName)).toEqual([...names, "clock", "routes", "state"]);
    expect(byName["state"]?.fact).toBe("1 resources, format 1");
    expect(byName["routes"]?.status).toBe("ok");
    expect(routes.filter(({ status }) => status === "present")).toHaveLength(10);
    expect(takeRequests(sandbox).every((request) => request.startsWith("GET "))).toBe(true);
    expectNoSecrets(stdout, { apiKey: sandbox.apiKey });

    const { code, stdout: text } = await command(project, ["doctor"]);
    expect(code).toBe(0);
    expect(text).toMatch(/^ok {7}engine {9}Pulumi v?\d/m);
  });

  it("names the routes that a service of the specification alone does not have", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { ok, byName, routes } = await examine(await open({ sandbox }));
    expect(ok).toBe(true);
    expect(byName["routes"]).toMatchObject({ status: "warning" });
    expect(routes.filter(({ method }) => method === "GET").every(({ status }) => status === "missing")).toBe(
      true,
    );
  });

  it("fails with what to do: a wrong key, a service that is not there, no settings, no project", async () => {
    const { baseUrl } = await openSandbox();
    const wrongKey = await examine(await open({ sandbox: { baseUrl, apiKey: "canary-of-a-wrong-key" } }));
    expect(wrongKey.byName["service"]).toMatchObject({
      status: "failed",
      fact: expect.stringContaining("401"),
    });
    expectNoSecrets(wrongKey.stdout, { apiKey: "canary-of-a-wrong-key" });

    const gone = await examine(
      await open({ sandbox: { baseUrl: "http://127.0.0.1:1/v1", apiKey: "some-key" } }),
    );
    expect(gone.byName["service"]).toMatchObject({
      status: "failed",
      fact: expect.stringContaining("ECONNREFUSED"),
    });

    const wrongLevel = await examine(await open({ sandbox: { baseUrl, apiKey: "some-key" } }), {
      CLOUDSERVICES_LOG: "verbose",
    });
    expect(wrongLevel.byName["service"]).toMatchObject({
      status: "failed",
      fact: expect.stringContaining("CLOUDSERVICES_LOG"),
    });

    const project = await open({ sandbox: { baseUrl, apiKey: "some-key" } });
    const { code, stdout } = await command(project, ["doctor", "--json", "--stack", "nosuch"]);
    expect(code).toBe(1);
    expect(printed.parse(JSON.parse(stdout)).checks.find(({ name }) => name === "stack")).toMatchObject({
      status: "failed",
      fact: expect.stringContaining("nosuch: "),
    });

    const unset = await open({});
    const none = await examine(unset);
    expect(none.byName["apiKey"]?.fix).toBe(
      "pulumi config set --secret cloudservices:apiKey, or the environment variable CLOUDSERVICES_API_KEY",
    );
    expect(none.byName["service"]?.status).toBe("skipped");

    const elsewhere = await command(unset, ["doctor", "--json", "--cwd", ".."]);
    expect(elsewhere.code).toBe(1);
    expect(
      printed.parse(JSON.parse(elsewhere.stdout)).checks.find(({ name }) => name === "stack"),
    ).toMatchObject({
      status: "warning",
      fix: "pulumi stack select <name> in the project's folder, or --cwd <folder> --stack <name>",
    });
  });

  it("explains how it is used", async () => {
    const project = await open({});
    for (const args of [["dokter"], ["doctor", "--jsn"], ["doctor", "--native"], ["summary", "--json"], []]) {
      const { code, stderr } = await command(project, args);
      expect(code).toBe(2);
      expect(stderr).toContain("Usage: pulumi-cloudservices <command>");
    }
  });
});
