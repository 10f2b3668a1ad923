import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { run } from "../process/run.mjs";
import { root } from "../setup/paths.mjs";

// The tools find the root of their checkout by their own path, so a copy of them is a checkout of its own.
let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "checkout-test-"));
  cpSync(join(root, "tools"), join(checkout, "tools"), { recursive: true });
  for (const name of ["web-app", "javascript"])
    cpSync(join(root, "examples", name, "Pulumi.yaml"), join(checkout, "examples", name, "Pulumi.yaml"));
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

const tool = (name: string, ...args: string[]) =>
  run(process.execPath, [join(checkout, "tools", `${name}.mjs`), ...args], { cwd: checkout });

function write(path: string) {
  const file = join(checkout, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "{}");
}

const exists = (path: string) => existsSync(join(checkout, path));

it.each([
  ["pulumi", ["preview"], "There is no local stack of quickstart yet. Run npm start first."],
  ["pulumi", ["web-app", "up"], "There is no local stack of web-app yet. Run npm start web-app first."],
  ["debug", ["up"], "There is no local stack of quickstart yet. Run npm start first."],
])("%s %j before npm start stops before it creates anything", async (name, args, problem) => {
  expect(await tool(name, ...args)).toEqual({ code: 1, stdout: "", stderr: `\n${problem}\n` });
  expect(readdirSync(checkout).sort()).toEqual(["examples", "tools"]);
});

it("npm run down keeps the data of a stopped sandbox, which may be of other stacks", async () => {
  write(".local/sandbox/state.json");
  const { code, stdout } = await tool("down");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^• \.local\/sandbox keeps data, .* rm -r \.local\/sandbox\n$/);
  expect(exists(".local/sandbox/state.json")).toBe(true);

  rmSync(join(checkout, ".local/sandbox"), { recursive: true });
  expect(await tool("down")).toMatchObject({ code: 0, stdout: "There is nothing to take down.\n" });
});

it("npm run down names the stacks that it leaves, and keeps what they need", async () => {
  const kept = [
    ".local/state/.pulumi/stacks/old-example/dev.json",
    ".local/state/.pulumi/stacks/web-app/mine.json",
    ".local/pulumi-home/credentials.json",
    ".local/passphrase",
    ".local/projects/web-app/Pulumi.mine.yaml",
  ];
  for (const path of kept) write(path);
  const { code, stdout } = await tool("down");
  expect(code).toBe(0);
  expect(stdout).toContain("    old-example/dev: check out a commit with examples/old-example");
  expect(stdout).toContain("npm run pulumi -- web-app destroy --yes --remove --stack mine && npm run down\n");
  expect(stdout).not.toContain("nothing");
  expect(kept.filter(exists)).toEqual(kept);

  rmSync(join(checkout, ".local/state/.pulumi/stacks"), { recursive: true });
  expect(await tool("down")).toMatchObject({ code: 0, stdout: "There is nothing to take down.\n" });
  expect(kept.filter(exists)).toEqual([]);
});
