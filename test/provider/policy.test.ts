import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { openProject } from "../support/project.js";
import { openSandbox, quick } from "../support/test-stack.js";

/** The engine's plugin for policy packs in Node; releases of the engine bring it, and one that was built has none. */
const plugin = `#!/bin/sh
exec node "$(node -p 'require.resolve("@pulumi/pulumi/cmd/run-policy-pack")')" "$@"
`;

const pack = `const { PolicyPack, validateResourceOfType } = require("@pulumi/policy");
const { Database, Link } = require("pulumi-cloudservices");
new PolicyPack("test", {
  policies: [{
    name: "no-large-databases",
    description: "Databases are small.",
    enforcementLevel: "mandatory",
    validateResource: validateResourceOfType(Database, ({ plan }, _args, violation) => {
      if (plan !== "db-starter-1") violation("the plan " + plan + " is too large");
    }),
  }, {
    name: "links-have-titles",
    description: "Links have titles.",
    enforcementLevel: "advisory",
    validateResource: validateResourceOfType(Link, ({ title }, _args, violation) => {
      if (title === undefined) violation("the link has no title");
    }),
  }],
});
`;

it("a policy pack finds the resources of a class, and blocks violations", async () => {
  const program = (plan: string) => `const { Database, Link } = require("pulumi-cloudservices");
new Database("orders", { engine: "postgresql", version: "16", plan: "${plan}", region: "eu-central-1" });
new Link("docs", { url: "https://example.com/" });
`;
  const sandbox = await openSandbox();
  const project = await openProject({
    files: {
      "index.js": program("db-pro-4"),
      "pack/PulumiPolicy.yaml": "runtime: nodejs\n",
      "pack/package.json": '{ "name": "pack", "main": "index.js", "version": "1.0.0" }\n',
      "pack/index.js": pack,
      "plugins/pulumi-analyzer-policy": plugin,
    },
    sandbox,
    config: quick,
  });
  const plugins = join(project.folder, "plugins");
  chmodSync(join(plugins, "pulumi-analyzer-policy"), 0o755);
  const env = { PATH: [plugins, process.env["PATH"]].join(delimiter) };
  const preview = () => project.pulumi(["preview", "--policy-pack", "pack"], { env });

  const refused = await preview();
  expect(refused.code, refused.stdout + refused.stderr).not.toBe(0);
  expect(refused.stdout).toContain("the plan db-pro-4 is too large");
  expect(refused.stdout).toContain("the link has no title");

  project.write({ "index.js": program("db-starter-1") });
  const allowed = await preview();
  expect(allowed.code, allowed.stdout + allowed.stderr).toBe(0);
  expect(allowed.stdout).toContain("the link has no title");
});
