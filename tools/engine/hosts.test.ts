import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { building, type FakeMachine, fake, limits, openMachine, release, tar } from "./fakes.js";
import { ensureHost, type HostName, NoHostError } from "./hosts.mjs";
import { SharedGo } from "./shared-go.mjs";
import { engineVersion } from "./version.mjs";

let machine: FakeMachine;
let lines: string[];
let engineFolder: string;

beforeEach(async () => {
  machine = await openMachine();
  lines = [];
  engineFolder = join(machine.root, "engine");
});

afterEach(() => machine.close());

const log = (line: string) => void lines.push(line);

async function ensure(name: HostName, releases = machine.unreachable) {
  const go = new SharedGo({ env: machine.environment, log });
  try {
    return await ensureHost(name, { engineFolder, go, log, env: machine.environment, releases, limits });
  } finally {
    go.close();
  }
}

const folderOf = (name: string) => `${name}-for-v${engineVersion}-${process.platform}-${process.arch}`;

/** A Go that builds fakes, and whose module with the script of the Python host is the folder of the fakes. */
const buildingWithScript = () => {
  fake(join(machine.root, "python", "cmd"), "pulumi-language-python-exec", "true");
  return `if [ "$1" = list ]; then echo "${machine.root}"; exit; fi\n${building}`;
};

describe("the language host beside the engine", () => {
  it("is used without writing anything", async () => {
    fake(engineFolder, "pulumi-language-yaml", "true");
    expect(await ensure("yaml")).toEqual({
      name: "yaml",
      folder: engineFolder,
      program: join(engineFolder, "pulumi-language-yaml"),
      source: "engine",
    });
    expect(readdirSync(machine.home)).toEqual([]);
    expect(lines).toEqual([]);
  });

  it("is not used without its script", async () => {
    fake(engineFolder, "pulumi-language-python", "true");
    machine.addGo("go1.26.8", buildingWithScript());
    expect(await ensure("python")).toMatchObject({ source: "build" });
  });
});

describe("the official download", () => {
  it("is verified, unpacked and cached: the next run sends no request", async () => {
    const files = ["pulumi-language-python", "pulumi-language-python-exec"];
    const { address, requests } = await machine.releasesAt(release(["pulumi", ...files]));
    const host = await ensure("python", address);
    expect(host).toMatchObject({ version: engineVersion, source: "download" });
    expect(readdirSync(host.folder).sort()).toEqual(["host.json", ...files].sort());
    for (const name of files) expect(statSync(join(host.folder, name)).mode & 0o777).toBe(0o755);
    expect(requests).toHaveLength(2);

    lines = [];
    expect(await ensure("python", address)).toEqual(host);
    expect(requests).toHaveLength(2);
    expect(lines).toEqual([]);
  });

  it("is rejected when the host does not run", async () => {
    const { address } = await machine.releasesAt(
      tar({ "pulumi/pulumi-language-yaml": "#!/bin/sh\necho 'bad ELF' >&2; exit 126\n" }),
    );
    await expect(ensure("yaml", address)).rejects.toThrow(
      /download: .*pulumi-language-yaml does not run: bad ELF/,
    );
    expect(machine.cached()).toEqual([]);
  });
});

describe("the build with Go", () => {
  it("leaves only the host and its script", async () => {
    machine.addGo("go1.26.8", buildingWithScript());
    const host = await ensure("python");
    expect(host).toMatchObject({ name: "python", source: "build" });
    expect(readdirSync(host.folder).sort()).toEqual([
      "host.json",
      "pulumi-language-python",
      "pulumi-language-python-exec",
    ]);
    expect(machine.cached()).toEqual([folderOf("python")]);
  });

  it("serves two hosts with one Go, and runs once when two runs need the same host", async () => {
    machine.addGo("go1.26.8", `echo "$GOCACHE" >> "${machine.root}/caches"\n${building}`);
    const go = new SharedGo({ env: machine.environment, log });
    const options = {
      engineFolder,
      go,
      log,
      env: machine.environment,
      releases: machine.unreachable,
      limits,
    };
    const [first, second, other] = await Promise.all([
      ensureHost("yaml", options),
      ensureHost("yaml", options),
      ensureHost("go", options),
    ]);
    go.close();
    expect(first).toEqual(second);
    expect(other.folder).not.toBe(first.folder);
    expect(lines).toContain("another run is installing the language host for yaml; waiting for it");
    expect(lines.filter((line) => line.startsWith("building "))).toHaveLength(2);
    expect(new Set(readFileSync(join(machine.root, "caches"), "utf8").trim().split("\n")).size).toBe(1);
    expect(machine.cached().sort()).toEqual([folderOf("go"), folderOf("yaml")]);
  });

  it("fails with what was tried", async () => {
    const error: unknown = await ensure("go").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NoHostError);
    expect(String(error)).toMatch(/ {2}- download: .*ECONNREFUSED/);
    expect(String(error)).toContain("  - build: no go on the PATH");
    expect(machine.cached()).toEqual([]);
  });
});
