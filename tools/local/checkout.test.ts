import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
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

it.each([
  ["pulumi", ["preview"], "There is no local stack of quickstart yet. Run npm start first."],
  ["pulumi", ["web-app", "up"], "There is no local stack of web-app yet. Run npm start web-app first."],
  ["debug", ["up"], "There is no local stack of quickstart yet. Run npm start first."],
])("%s %j before npm start stops before it creates anything", async (name, args, problem) => {
  expect(await tool(name, ...args)).toEqual({ code: 1, stdout: "", stderr: `\n${problem}\n` });
  expect(readdirSync(checkout).sort()).toEqual(["examples", "tools"]);
});
