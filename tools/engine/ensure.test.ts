import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureEngine } from "./ensure.mjs";
import {
  archive,
  building,
  type FakeMachine,
  fake,
  fakeEngine,
  limits,
  openMachine,
  release,
  tar,
} from "./fakes.js";
import { engineFiles } from "./on-path.mjs";
import { engineVersion } from "./version.mjs";

const strictLimits = { responseMs: 1_000, windowMs: 1_000, windowBytes: 10 };

let machine: FakeMachine;
let lines: string[];

beforeEach(async () => {
  machine = await openMachine();
  lines = [];
});

afterEach(() => machine.close());

const ensure = (releases = machine.unreachable, chosen = limits) =>
  ensureEngine({ log: (line) => lines.push(line), env: machine.environment, releases, limits: chosen });

describe("the engine on the PATH", () => {
  it("is used when it is new enough and complete, without writing anything", async () => {
    fakeEngine(machine.path, "3.999.1");
    expect(await ensure()).toEqual({
      folder: machine.path,
      pulumi: join(machine.path, "pulumi"),
      version: "3.999.1",
      source: "PATH",
    });
    expect(readdirSync(machine.home)).toEqual([]);
    expect(lines).toEqual([]);
  });

  it.each([
    ["older", () => fakeEngine(machine.path, "3.100.0"), /pulumi is version 3\.100\.0, older than/],
    [
      "without its language host",
      () => fakeEngine(machine.path, engineVersion, ["pulumi"]),
      /has no pulumi-language-nodejs and no/,
    ],
    [
      "broken",
      () => fake(machine.path, "pulumi", "echo 'bad ELF' >&2; exit 126"),
      /does not print its version \(bad ELF\)/,
    ],
  ])("is skipped when it is %s, and the error says so", async (_, prepare, reason) => {
    prepare();
    await expect(ensure()).rejects.toThrow(reason);
  });
});

describe("the official download", () => {
  it("is verified, unpacked and cached: the next run sends no request", async () => {
    const { address, requests } = await machine.releasesAt(release());
    const engine = await ensure(address);
    expect(engine).toMatchObject({ version: engineVersion, source: "download" });
    expect(readdirSync(engine.folder).sort()).toEqual(["engine.json", ...engineFiles].sort());
    for (const name of engineFiles) expect(statSync(join(engine.folder, name)).mode & 0o777).toBe(0o755);
    expect(requests).toHaveLength(2);

    lines = [];
    expect(await ensure(address)).toEqual(engine);
    expect(requests).toHaveLength(2);
    expect(lines).toEqual([]);
  });

  it("is rejected when its checksum is not the published one", async () => {
    const { address } = await machine.releasesAt(release(), (_, response) =>
      response.end(tar({ "pulumi/pulumi": "evil" })),
    );
    await expect(ensure(address)).rejects.toThrow(
      /download: .* has the SHA-256 [0-9a-f]{64}, but [0-9a-f]{64} is published/,
    );
    expect(machine.cached()).toEqual([]);
  });

  it("is rejected when no checksum is published for it", async () => {
    const address = await machine.listen((_, response) => response.end("\n"));
    await expect(ensure(address)).rejects.toThrow(`no entry for ${archive}`);
  });

  it.each<[string, RequestListener, RegExp]>([
    [
      "ends in the middle",
      (_, response) => {
        response.writeHead(200, { "content-length": 100_000 });
        response.write("x".repeat(1000), () => response.destroy());
      },
      /download: /,
    ],
    ["never begins", () => {}, /no response within 1 s/],
    [
      "stalls",
      (_, response) => {
        response.writeHead(200);
        response.write("x");
      },
      /only [01] bytes arrived in 1 s/,
    ],
    ["does not exist", (_, response) => response.writeHead(404).end(), /returned 404/],
  ])("is abandoned within seconds when it %s", async (_, misbehave, reason) => {
    const { address } = await machine.releasesAt(release(), misbehave);
    await expect(ensure(address, strictLimits)).rejects.toThrow(reason);
    expect(machine.cached()).toEqual([]);
  });

  it("runs once when two runs need it at the same time", async () => {
    const { address, requests } = await machine.releasesAt(release());
    const [first, second] = await Promise.all([ensure(address), ensure(address)]);
    expect(first).toEqual(second);
    expect(requests).toHaveLength(2);
    expect(lines).toContain("another run is installing the engine; waiting for it");
    expect(machine.cached()).toHaveLength(1);
  });

  it("is repeated when a file of the installed engine is missing or truncated", async () => {
    const { address, requests } = await machine.releasesAt(release());
    const engine = await ensure(address);
    writeFileSync(engine.pulumi, "");
    rmSync(join(engine.folder, "pulumi-language-nodejs"));
    await ensure(address);
    expect(requests).toHaveLength(4);
    expect(readFileSync(engine.pulumi, "utf8")).toContain(engineVersion);
    expect(machine.cached()).toHaveLength(1);
  });
});

describe("the build with Go", () => {
  it("follows a failed download, and leaves only the engine in the home directory", async () => {
    machine.addGo("go1.26.8", building);
    const engine = await ensure();
    expect(engine).toMatchObject({ version: engineVersion, source: "build" });
    expect(readdirSync(engine.folder).sort()).toEqual(["engine.json", ...engineFiles].sort());
    expect(readFileSync(join(engine.folder, "pulumi-resource-pulumi-nodejs"), "utf8")).toContain(
      "dynamic-provider",
    );
    expect(machine.cached()).toHaveLength(1);
    expect(readdirSync(machine.home)).toEqual([process.platform === "darwin" ? "Library" : ".cache"]);
    expect(lines.join("\n")).toMatch(/download failed: .*\n.*building pulumi .* with go1\.26\.8/);
  });

  it("is not tried with an old Go", async () => {
    machine.addGo("go1.24.13", "exit 1");
    await expect(ensure()).rejects.toThrow(/build: .*\/go is go1\.24\.13, older than 1\.25/);
  });

  it("fails with the output of Go", async () => {
    machine.addGo("go1.26.8", "echo 'verifying module: checksum mismatch' >&2; exit 1");
    await expect(ensure()).rejects.toThrow(
      "go build of pulumi-language-nodejs failed: verifying module: checksum mismatch",
    );
    expect(machine.cached()).toEqual([]);
  });

  it("leaves no engine when it is killed, and the next run builds a complete one", async () => {
    machine.addGo("go1.26.8", 'echo $$ > "$GOENV.pid"; exec sleep 600');
    const pidFile = join(machine.home, "go.pid");
    const program = `import { ensureEngine } from ${JSON.stringify(new URL("ensure.mjs", import.meta.url).href)};
      await ensureEngine({ log: () => {}, releases: ${JSON.stringify(machine.unreachable)} });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      env: { ...machine.environment, GOENV: join(machine.home, "go") },
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    await expect
      .poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").trim(), { timeout: 30_000 })
      .toBeTruthy();
    child.kill("SIGKILL");
    // The fake does not notice that its reader has exited, as Go would at its next line.
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
    await ended;
    expect(machine.cached().length).toBeGreaterThan(0);
    expect(
      existsSync(join(machine.cache(), `engine-v${engineVersion}-${process.platform}-${process.arch}`)),
    ).toBe(false);

    machine.addGo("go1.26.8", building);
    const engine = await ensure();
    expect(engine.source).toBe("build");
    expect(machine.cached()).toEqual([`engine-v${engineVersion}-${process.platform}-${process.arch}`]);
  }, 60_000);
});

it("reports what was tried and what to install when nothing works", async () => {
  const error = await ensure().then(
    () => "no error",
    (reason: Error) => reason.message,
  );
  expect(error).toContain("  - PATH: no pulumi on the PATH\n");
  expect(error).toMatch(/ {2}- download: .*ECONNREFUSED/);
  expect(error).toContain("  - build: no go on the PATH\n");
  expect(error).toContain("https://www.pulumi.com/docs/install/");
});

it("reports a cache that is not writable", async () => {
  writeFileSync(join(machine.root, "file"), "");
  const env = { ...machine.environment, CLOUDSERVICES_ENGINE_CACHE: join(machine.root, "file", "cache") };
  await expect(ensureEngine({ log: () => {}, env, releases: machine.unreachable, limits })).rejects.toThrow(
    /Cannot install the engine into .*\/file\/cache \(ENOTDIR\)\. Set CLOUDSERVICES_ENGINE_CACHE to/,
  );
});

it("installs the engine into CLOUDSERVICES_ENGINE_CACHE, and rejects a relative path there", async () => {
  const { address } = await machine.releasesAt(release());
  const options = { log: () => {}, releases: address, limits };
  const chosen = join(machine.root, "elsewhere");
  const engine = await ensureEngine({
    ...options,
    env: { ...machine.environment, CLOUDSERVICES_ENGINE_CACHE: chosen },
  });
  expect(dirname(engine.folder)).toBe(chosen);
  await expect(
    ensureEngine({ ...options, env: { ...machine.environment, CLOUDSERVICES_ENGINE_CACHE: "here" } }),
  ).rejects.toThrow("must be an absolute path");
});
