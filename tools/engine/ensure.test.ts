import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { archiveName } from "./download.mjs";
import { ensureEngine } from "./ensure.mjs";
import { engineFiles, which } from "./on-path.mjs";
import { engineVersion } from "./version.mjs";

let unreachable: string;
const limits = { responseMs: 30_000, windowMs: 30_000, windowBytes: 1 };
const strictLimits = { responseMs: 1_000, windowMs: 1_000, windowBytes: 10 };
const archive = archiveName(engineVersion, process.platform, process.arch) ?? "none";

let root: string;
let home: string;
let path: string;
let servers: Server[];
let lines: string[];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "engine-test-"));
  home = join(root, "home");
  path = join(root, "bin");
  mkdirSync(home);
  mkdirSync(path);
  for (const tool of ["chmod", "sleep", "touch"]) {
    symlinkSync(which(tool, process.env) ?? tool, join(path, tool));
  }
  servers = [];
  lines = [];
  unreachable = await listen(() => {});
  servers.pop()?.close();
});

afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(root, { recursive: true, force: true });
});

/** An environment with the fakes and what they need, without this machine's engine and Go. */
const environment = () => ({ HOME: home, PATH: path });

const ensure = (releases = unreachable, chosen = limits) =>
  ensureEngine({ log: (line) => lines.push(line), env: environment(), releases, limits: chosen });

function fake(folder: string, name: string, script: string) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

function fakeEngine(folder: string, version: string, files: readonly string[] = engineFiles) {
  for (const name of files) fake(folder, name, name === "pulumi" ? `echo v${version}` : "true");
}

/** A Go that "builds" each program as a script that prints the engine's version. */
const fakeGo = (version: string, build: string) =>
  fake(path, "go", `if [ "$1" = env ]; then echo ${version}; exit; fi\n${build}`);

const building = `while [ "$1" != -o ]; do shift; done
echo "echo v${engineVersion}" > "$2"; chmod +x "$2"
touch "$HOME/trace" "$GOMODCACHE-trace"; echo some/package >&2`;

function tar(files: Record<string, string>) {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write("0000755\0", 100);
    header.write(`${Buffer.byteLength(content).toString(8).padStart(11, "0")}\0`, 124);
    header.write("0", 156);
    header.write("ustar\0", 257);
    return [header, Buffer.from(content), Buffer.alloc((512 - (Buffer.byteLength(content) % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

const release = () =>
  tar({
    "pulumi/pulumi-language-go": "x".repeat(5000),
    ...Object.fromEntries(
      engineFiles.map((name) => [`pulumi/${name}`, `#!/bin/sh\necho v${engineVersion}\n`]),
    ),
  });

async function listen(handler: RequestListener) {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}/releases`;
}

/** Serves a release; `sendArchive` may misbehave. */
async function releasesAt(
  content: Buffer,
  sendArchive: RequestListener = (_, response) => response.end(content),
) {
  const sum = createHash("sha256").update(content).digest("hex");
  const requests: string[] = [];
  const address = await listen((request, response) => {
    requests.push(request.url ?? "");
    if (request.url?.endsWith("-checksums.txt"))
      response.end(`${"0".repeat(64)}  other.zip\n${sum}  ${archive}\n`);
    else sendArchive(request, response);
  });
  return { address, requests };
}

const cache = () =>
  join(home, ...(process.platform === "darwin" ? ["Library", "Caches"] : [".cache"]), "pulumi-cloudservices");
const cached = () => (existsSync(cache()) ? readdirSync(cache()) : []);

describe("the engine on the PATH", () => {
  it("is used when it is new enough and complete, without writing anything", async () => {
    fakeEngine(path, "3.999.1");
    expect(await ensure()).toEqual({
      folder: path,
      pulumi: join(path, "pulumi"),
      version: "3.999.1",
      source: "PATH",
    });
    expect(readdirSync(home)).toEqual([]);
    expect(lines).toEqual([]);
  });

  it.each([
    ["older", () => fakeEngine(path, "3.100.0"), /pulumi is version 3\.100\.0, older than/],
    [
      "without its language host",
      () => fakeEngine(path, engineVersion, ["pulumi"]),
      /has no pulumi-language-nodejs and no/,
    ],
    [
      "broken",
      () => fake(path, "pulumi", "echo 'bad ELF' >&2; exit 126"),
      /does not print its version \(bad ELF\)/,
    ],
  ])("is skipped when it is %s, and the error says so", async (_, prepare, reason) => {
    prepare();
    await expect(ensure()).rejects.toThrow(reason);
  });
});

describe("the official download", () => {
  it("is verified, unpacked and cached: the next run sends no request", async () => {
    const { address, requests } = await releasesAt(release());
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
    const { address } = await releasesAt(release(), (_, response) =>
      response.end(tar({ "pulumi/pulumi": "evil" })),
    );
    await expect(ensure(address)).rejects.toThrow(
      /download: .* has the SHA-256 [0-9a-f]{64}, but [0-9a-f]{64} is published/,
    );
    expect(cached()).toEqual([]);
  });

  it("is rejected when no checksum is published for it", async () => {
    const address = await listen((_, response) => response.end("\n"));
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
    const { address } = await releasesAt(release(), misbehave);
    await expect(ensure(address, strictLimits)).rejects.toThrow(reason);
    expect(cached()).toEqual([]);
  });

  it("runs once when two runs need it at the same time", async () => {
    const { address, requests } = await releasesAt(release());
    const [first, second] = await Promise.all([ensure(address), ensure(address)]);
    expect(first).toEqual(second);
    expect(requests).toHaveLength(2);
    expect(lines).toContain("another run is installing the engine; waiting for it");
    expect(cached()).toHaveLength(1);
  });

  it("is repeated when a file of the installed engine is missing or truncated", async () => {
    const { address, requests } = await releasesAt(release());
    const engine = await ensure(address);
    writeFileSync(engine.pulumi, "");
    rmSync(join(engine.folder, "pulumi-language-nodejs"));
    await ensure(address);
    expect(requests).toHaveLength(4);
    expect(readFileSync(engine.pulumi, "utf8")).toContain(engineVersion);
    expect(cached()).toHaveLength(1);
  });
});

describe("the build with Go", () => {
  it("follows a failed download, and leaves only the engine in the home directory", async () => {
    fakeGo("go1.26.8", building);
    const engine = await ensure();
    expect(engine).toMatchObject({ version: engineVersion, source: "build" });
    expect(readdirSync(engine.folder).sort()).toEqual(["engine.json", ...engineFiles].sort());
    expect(readFileSync(join(engine.folder, "pulumi-resource-pulumi-nodejs"), "utf8")).toContain(
      "dynamic-provider",
    );
    expect(cached()).toHaveLength(1);
    expect(readdirSync(home)).toEqual([process.platform === "darwin" ? "Library" : ".cache"]);
    expect(lines.join("\n")).toMatch(/download failed: .*\n.*building pulumi .* with go1\.26\.8/);
  });

  it("is not tried with an old Go", async () => {
    fakeGo("go1.24.13", "exit 1");
    await expect(ensure()).rejects.toThrow(/build: .*\/go is go1\.24\.13, older than 1\.25/);
  });

  it("fails with the output of Go", async () => {
    fakeGo("go1.26.8", "echo 'verifying module: checksum mismatch' >&2; exit 1");
    await expect(ensure()).rejects.toThrow(
      "go build of pulumi-language-nodejs failed: verifying module: checksum mismatch",
    );
    expect(cached()).toEqual([]);
  });

  it("leaves no engine when it is killed, and the next run builds a complete one", async () => {
    fakeGo("go1.26.8", 'echo $$ > "$GOENV.pid"; exec sleep 600');
    const pidFile = join(home, "go.pid");
    const program = `import { ensureEngine } from ${JSON.stringify(new URL("ensure.mjs", import.meta.url).href)};
      await ensureEngine({ log: () => {}, releases: ${JSON.stringify(unreachable)} });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      env: { ...environment(), GOENV: join(home, "go") },
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    await expect
      .poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").trim(), { timeout: 30_000 })
      .toBeTruthy();
    child.kill("SIGKILL");
    // The fake does not notice that its reader has exited, as Go would at its next line.
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
    await ended;
    expect(cached().length).toBeGreaterThan(0);
    expect(existsSync(join(cache(), `engine-v${engineVersion}-${process.platform}-${process.arch}`))).toBe(
      false,
    );

    fakeGo("go1.26.8", building);
    const engine = await ensure();
    expect(engine.source).toBe("build");
    expect(cached()).toEqual([`engine-v${engineVersion}-${process.platform}-${process.arch}`]);
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
  writeFileSync(join(root, "file"), "");
  const env = { ...environment(), CLOUDSERVICES_ENGINE_CACHE: join(root, "file", "cache") };
  await expect(ensureEngine({ log: () => {}, env, releases: unreachable, limits })).rejects.toThrow(
    /cannot be installed into .*\/file\/cache \(ENOTDIR\)\. Set CLOUDSERVICES_ENGINE_CACHE to/,
  );
});

it("installs the engine into CLOUDSERVICES_ENGINE_CACHE, and rejects a relative path there", async () => {
  const { address } = await releasesAt(release());
  const options = { log: () => {}, releases: address, limits };
  const chosen = join(root, "elsewhere");
  const engine = await ensureEngine({
    ...options,
    env: { ...environment(), CLOUDSERVICES_ENGINE_CACHE: chosen },
  });
  expect(dirname(engine.folder)).toBe(chosen);
  await expect(
    ensureEngine({ ...options, env: { ...environment(), CLOUDSERVICES_ENGINE_CACHE: "here" } }),
  ).rejects.toThrow("must be an absolute path");
});
