import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { run } from "../../tools/process/run.mjs";
import { openProject } from "../support/project.js";
import { openSandbox, takeRequests } from "../support/test-stack.js";

const script = fileURLToPath(new URL("../../examples/pipeline/pipeline.sh", import.meta.url));

const program = (title: string) =>
  `const { Link } = require("pulumi-cloudservices");\nnew Link("docs", { url: "https://example.com/", title: "${title}" });\n`;

it("the pipeline example previews, applies, and detects drift without changing anything", async () => {
  const sandbox = await openSandbox();
  const project = await openProject({
    files: { "index.js": program("One") },
    config: { "cloudservices:baseUrl": sandbox.baseUrl },
  });
  const step = (name: string, apiKey = sandbox.apiKey) =>
    run("sh", [script, name], {
      cwd: project.folder,
      env: { ...process.env, ...project.environment, PULUMI_STACK: "dev", CLOUDSERVICES_API_KEY: apiKey },
    });

  expect(await step("preview")).toMatchObject({ code: 0, stdout: expect.stringContaining("+ 2 to create") });
  expect(takeRequests(sandbox)).toEqual([]);
  expect(await step("apply")).toMatchObject({ code: 0 });
  expect(await step("drift")).toMatchObject({ code: 0 });

  const [link] = sandbox.resources();
  sandbox.change(link?.id ?? "", { destination_url: "https://elsewhere.example.com/" });
  takeRequests(sandbox);
  const drift = await step("drift");
  expect(drift.code).not.toBe(0);
  expect(drift.stdout).toMatch(/~ url: "https:\/\/elsewhere\.example\.com\/" => "https:\/\/example\.com\/"/);
  expect(takeRequests(sandbox).filter((request) => !request.startsWith("GET "))).toEqual([]);
  expect(await step("apply")).toMatchObject({ code: 0 });
  expect(sandbox.resources()[0]?.fields["destination_url"]).toBe("https://example.com/");

  project.write({ "index.js": program("") });
  expect(await step("preview")).toMatchObject({
    code: 255,
    stderr: expect.stringContaining("must not be empty"),
  });
  // Another tenant's key finds nothing; that must not look like drift to be repaired by making everything anew.
  project.write({ "index.js": program("One") });
  const otherAccount = await step("drift", "sandbox_somebody-else");
  expect(otherAccount.stdout + otherAccount.stderr).toContain("[KEY_CHANGED]");
  expect(await step("sideways")).toMatchObject({ code: 2 });
});
