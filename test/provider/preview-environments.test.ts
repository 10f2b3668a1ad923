import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { run } from "../../tools/process/run.mjs";
import { openFolder } from "../support/folder.js";
import { openSandbox } from "../support/test-stack.js";

const example = fileURLToPath(new URL("../../examples/preview-environments/index.mjs", import.meta.url));

it("the Automation API example creates an environment for each branch and destroys it", async () => {
  const sandbox = await openSandbox();
  const folder = openFolder();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...folder.environment,
    CLOUDSERVICES_BASE_URL: sandbox.baseUrl,
    CLOUDSERVICES_API_KEY: sandbox.apiKey,
  };
  const environmentsIn = (surroundings: NodeJS.ProcessEnv, ...args: string[]) =>
    run(process.execPath, [example, ...args], { cwd: folder.path, env: surroundings });
  const environments = (...args: string[]) => environmentsIn(env, ...args);

  const made = await environments("up", "feature/login");
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout).toContain("database\t[secret]\n");
  const url = /^url\t(.*)$/m.exec(made.stdout)?.[1] ?? "";
  expect((await fetch(url, { redirect: "manual" })).headers.get("location")).toBe(
    "https://builds.example.com/feature%2Flogin/",
  );
  const shown = await environments("show", "feature/login");
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toMatch(/^database\tpostgresql:\/\/\S+:\S+@\S+$/m);
  // A branch of nearly the same name has an environment of its own.
  expect(await environments("up", "feature-login")).toMatchObject({ code: 0 });
  expect(sandbox.resources()).toHaveLength(6);
  expect((await environments("list")).stdout.trim().split("\n")).toHaveLength(2);

  expect(await environments("down", "feature/login")).toMatchObject({ code: 0 });
  expect(sandbox.resources()).toHaveLength(3);
  expect(await environments("down", "feature/login")).toMatchObject({
    code: 1,
    stderr: "There is no environment for feature/login.\n",
  });
  expect(await environments("down", "feature-login")).toMatchObject({ code: 0 });
  expect((await environments("list")).stdout).toBe("");
  expect(await environments("sideways")).toMatchObject({ code: 2 });

  const { PULUMI_CONFIG_PASSPHRASE: _, ...withoutPassphrase } = env;
  expect(await environmentsIn(withoutPassphrase, "up", "feature/login")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("passphrase must be set with PULUMI_CONFIG_PASSPHRASE"),
  });
  expect(await environmentsIn({ ...env, PATH: "" }, "list")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("spawn pulumi ENOENT"),
  });
});
