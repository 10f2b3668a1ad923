import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { run } from "../process/run.mjs";
import { withInspector } from "./debug.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "debug-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function script(...path: string[]) {
  const file = join(folder, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "console.log('ran', process.execArgv.length, ...process.argv.slice(2));\n");
  return file;
}

const environment = () => withInspector(process.env, join(folder, "bin"));

it("stops the host of dynamic providers until a debugger attaches, and prints the port", async () => {
  const seen = new AbortController();
  const outcome = await run("node", [script("cmd", "dynamic-provider", "index.js"), "127.0.0.1:1"], {
    env: environment(),
    timeoutMs: 30_000,
    signal: seen.signal,
    onOutput: (text: string) => text.includes("Debugger listening") && seen.abort(),
  });
  expect(outcome.problem).toBe("interrupted");
  expect(outcome.stderr).toMatch(/^Debugger listening on ws:\/\/127\.0\.0\.1:\d+\//);
  expect(outcome.stdout).toBe("");
});

it.each([
  [
    "another program of the engine",
    () => [script("cmd", "run", "index.js"), "two words"],
    "ran 0 two words\n",
  ],
  [
    "the search for the host",
    () => ["-e", "console.log('/cmd/dynamic-provider/')"],
    "/cmd/dynamic-provider/\n",
  ],
])("starts %s without an inspector", async (_, args, stdout) => {
  expect(await run("node", args(), { env: environment() })).toEqual({ code: 0, stdout, stderr: "" });
});
