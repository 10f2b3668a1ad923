import { existsSync, readdirSync } from "node:fs";
import { CustomResource } from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { openProject } from "./support/project.js";
import { expectNoSecrets } from "./support/secrets.js";
import { failureOf, openStack } from "./support/stack.js";

/** A provider of the least kind, to see that the engine finds and runs what it needs. */
const handler = `exports.handler = () => ({
  check: async (olds, news) => ({ inputs: news }),
  create: async (inputs) => ({ id: "it", outs: { ...inputs, environment: Object.keys(process.env).join() } }),
  delete: async () => {},
})`;

class Thing extends CustomResource {
  constructor(name: string) {
    super("pulumi-nodejs:dynamic/test:Thing", name, { environment: undefined, __provider: handler });
  }
}

describe("a stack driven through the Automation API", () => {
  it("lives its life: up, up without changes, refresh, destroy", async () => {
    const stack = await openStack({ program: async () => void new Thing("one"), config: { colour: "blue" } });
    expect((await stack.preview()).summary).toEqual({ create: 1 });
    const up = await stack.up();
    expect(up.summary).toEqual({ create: 1 });
    expect(up.stdout + up.stderr).not.toContain("warning");
    expect((await stack.export()).resources).toMatchObject([
      { type: "pulumi-nodejs:dynamic/test:Thing", id: "it" },
    ]);
    expect((await stack.up()).summary).toEqual({ same: 1 });
    expect((await stack.refresh()).summary).toEqual({ same: 1 });
    expect((await stack.destroy()).summary).toEqual({ delete: 1 });
    expect((await stack.export()).resources).toEqual([]);
    await stack.close();
    expect(existsSync(stack.folder)).toBe(false);
  });

  it("sees nothing of the settings of whoever runs the tests", async () => {
    const before = { ...process.env };
    const stack = await openStack({
      program: async () => void new Thing("one"),
      env: { CLOUDSERVICES_API: "seen" },
    });
    await stack.up();
    const [thing] = (await stack.export()).resources;
    const names = String(thing?.outputs["environment"]).split(",");
    expect(names.filter((name) => name.startsWith("CLOUDSERVICES_"))).toEqual(["CLOUDSERVICES_API"]);
    expect(
      Object.keys(before).filter((name) => /^(CLOUDSERVICES_|PULUMI_(?!SKIP_UPDATE_CHECK$))/.test(name)),
    ).toEqual([]);
  });

  it("shows everything that the engine printed when an operation fails", async () => {
    const stack = await openStack({
      program: async () => {
        throw new Error("the program is wrong");
      },
    });
    expect(await failureOf(stack.up())).toContain("the program is wrong");
  });
});

describe("a project driven through the pulumi command", () => {
  it("lives its life: up, up without changes, destroy", async () => {
    const project = await openProject({
      files: { "index.js": "exports.colour = 'blue';" },
      config: { shade: "dark" },
    });
    const up = await project.pulumi(["up", "--yes", "--skip-preview"]);
    expect(up).toMatchObject({ code: 0, stdout: expect.stringContaining('colour: "blue"') });
    expect(up.stdout + up.stderr).not.toContain("warning");
    expect((await project.pulumi(["preview", "--expect-no-changes"])).code).toBe(0);
    const failed = await project.pulumi(["config", "get", "missing"]);
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain("'missing' not found");
    expect((await project.pulumi(["destroy", "--yes", "--skip-preview"])).code).toBe(0);
    expect((await project.export()).resources).toEqual([]);
    await project.close();
    expect(existsSync(project.folder)).toBe(false);
  });

  it("takes a program in TypeScript, and keeps secrets of its configuration encrypted", async () => {
    const project = await openProject({
      files: {
        "index.ts":
          'import { Config } from "@pulumi/pulumi";\nexport const password = new Config().requireSecret("password");\n',
      },
      config: { password: { secret: "correct horse" } },
    });
    const up = await project.pulumi(["up", "--yes", "--skip-preview"]);
    expect(up).toMatchObject({ code: 0 });
    const shown = await project.pulumi(["stack", "output", "password", "--show-secrets"]);
    expect(shown.stdout).toBe("correct horse\n");
    expectNoSecrets(up.stdout + up.stderr + (await project.export()).text, { password: "correct horse" });
    expect(readdirSync(project.folder)).toContain("Pulumi.dev.yaml");
  });
});
