import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openProject } from "../support/project.js";
import { openSandbox, quick } from "../support/test-stack.js";

/** A scope full of what Pulumi cannot write down: a native function, a symbol, a handle of the process, a generator. */
const scope = (declaration: string) => `const pulumi = require("@pulumi/pulumi");
const { Link } = require("pulumi-cloudservices");
const native = Array.prototype.map.bind([1]);
const symbol = Symbol("unique");
const socket = process.stdout;
const generator = (function* () { yield native(String); })();
const url = () => (socket && symbol && generator ? "https://example.com/" : "");
${declaration}
`;

describe("pain: serialising closures fails", () => {
  it("no closure is serialised: the state contains one constant text, whatever the program captures", async () => {
    const sandbox = await openSandbox();
    const files = { "index.js": scope('new Link("docs", { url: url() });') };
    const project = await openProject({ files, sandbox, config: quick });
    const up = await project.pulumi(["up", "--yes", "--skip-preview"]);
    expect(up.code, up.stdout).toBe(0);
    const [link] = (await project.export()).resources;
    expect(String(link?.inputs["__provider"]).length).toBeLessThanOrEqual(120);
    expect(link?.outputs["__provider"]).toBe(link?.inputs["__provider"]);
    expect((await project.export()).text).not.toContain("generator");

    // The same program with an ordinary dynamic resource, to show that the scope is as bad as it says.
    project.write({
      "index.js": scope(`class Ordinary extends pulumi.dynamic.Resource {}
new Ordinary({ create: async () => ({ id: url(), outs: {} }) }, "docs", {});`),
    });
    const ordinary = await project.pulumi(["preview"]);
    expect(ordinary.code).not.toBe(0);
    expect(ordinary.stdout).toMatch(/serializ/i);
  });
});

it.each(["pulumi-cloudservices", "pulumi-cloudservices/native"])(
  "the engine knows the line of the program that declares a resource of %s",
  async (entry) => {
    const sandbox = await openSandbox();
    const files = {
      "index.js": `const { Database, Link } = require("${entry}");
new Link("docs", { url: "https://example.com/" });
const place = { region: "eu-central-1", plan: "db-starter-1" };
new Database("orders", { engine: "postgresql", version: "16", ...place });
`,
      // With this, Pulumi starts its compiler for the program, which could move the lines.
      "tsconfig.json": "{}",
    };
    const native = entry.endsWith("/native");
    const project = await openProject({ files, sandbox, config: quick, native });
    expect(await project.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    const { text } = await project.export();
    for (const line of [2, 4]) expect(text).toContain(`"sourcePosition": "project:///index.js#${line},1"`);
  },
);

describe("pain: old provider code runs on destroy, and dependency upgrades break destroy", () => {
  it("the currently installed package runs", async () => {
    const sandbox = await openSandbox();
    const files = {
      "index.js":
        'const { Link } = require("pulumi-cloudservices");\nnew Link("docs", { url: "https://example.com/" });\n',
    };
    const project = await openProject({ files, sandbox, config: quick });
    expect(await project.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });

    // An upgrade: other files, and it says that it was there.
    const today = fileURLToPath(new URL("../../provider/bundle/dynamic.js", import.meta.url));
    const ran = join(project.folder, "ran");
    project.write({
      "index.js": "throw new Error('destroying needs no program');\n",
      "node_modules/pulumi-cloudservices/package.json": '{ "exports": { "./dynamic": "./new.js" } }',
      "node_modules/pulumi-cloudservices/new.js": `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");
module.exports = require(${JSON.stringify(today)});\n`,
    });
    const destroyed = await project.pulumi(["destroy", "--yes", "--skip-preview"]);
    expect(destroyed.code, destroyed.stdout).toBe(0);
    expect(existsSync(ran)).toBe(true);
    expect(sandbox.resources()).toEqual([]);
  });
});
