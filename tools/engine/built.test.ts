import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ensureBuilt } from "./built.mjs";
import { type FakeMachine, openMachine } from "./fakes.js";
import { SharedGo } from "./shared-go.mjs";

/** A Go that "builds" each program as a file with the name of its package. */
const building = `while [ "$1" != -o ]; do shift; done
mkdir -p "\${2%/*}"; echo "$3" > "$2"; echo "$3" >&2`;

let machine: FakeMachine;
let lines: string[];

beforeEach(async () => {
  machine = await openMachine();
  lines = [];
});

afterEach(() => machine.close());

async function ensure() {
  const log = (line: string) => void lines.push(line);
  const go = new SharedGo({ env: machine.environment, log });
  const programs = [
    { name: "tool", module: machine.root, package: "example.com/tool" },
    { name: join("plugins", "tool-plugin"), module: machine.root, package: "example.com/plugin" },
  ];
  const task = { name: "tool", version: "v1.2.3", label: "the tool", duration: "some seconds", programs };
  try {
    return await ensureBuilt({ ...task, go, log, env: machine.environment });
  } finally {
    go.close();
  }
}

it("builds all programs once, into one folder", async () => {
  machine.addGo("go1.26.8", building);
  const folder = await ensure();
  expect(machine.cached()).toEqual([`tool-v1.2.3-${process.platform}-${process.arch}`]);
  expect(readdirSync(folder).sort()).toEqual(["plugins", "tool", "tool.json"]);
  expect(readFileSync(join(folder, "plugins", "tool-plugin"), "utf8")).toBe("example.com/plugin\n");

  lines = [];
  rmSync(join(machine.path, "go"));
  expect(await ensure()).toBe(folder);
  expect(lines).toEqual([]);
});

it("builds again when a program is missing", async () => {
  machine.addGo("go1.26.8", building);
  const plugin = join(await ensure(), "plugins", "tool-plugin");
  rmSync(plugin);
  await ensure();
  expect(existsSync(plugin)).toBe(true);
});

it("leaves nothing when a program is not built", async () => {
  machine.addGo("go1.26.8", `${building}\n[ "$3" != example.com/plugin ]`);
  await expect(ensure()).rejects.toThrow(
    `go build of ${join("plugins", "tool-plugin")} failed: example.com/plugin`,
  );
  expect(machine.cached()).toEqual([]);
});

it("fails without Go", async () => {
  await expect(ensure()).rejects.toThrow("no go on the PATH");
  expect(machine.cached()).toEqual([]);
});
