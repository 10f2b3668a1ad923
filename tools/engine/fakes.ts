import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { archiveName } from "./download.mjs";
import { engineFiles, which } from "./on-path.mjs";
import { engineVersion } from "./version.mjs";

/** Limits that a fake on a slow machine keeps. */
export const limits = { responseMs: 30_000, windowMs: 30_000, windowBytes: 1 };

export const archive = archiveName(engineVersion, process.platform, process.arch) ?? "none";

/** A machine of its own: a home, a PATH with fakes, and servers of releases. */
export interface FakeMachine {
  readonly root: string;
  readonly home: string;
  /** The only folder on the PATH. */
  readonly path: string;
  /** An environment with the fakes and what they need, without this machine's engine and Go. */
  readonly environment: Readonly<Record<string, string>>;
  /** An address at which nothing listens. */
  readonly unreachable: string;
  /** Returns the contents of the cache. */
  cached(): string[];
  cache(): string;
  listen(handler: RequestListener): Promise<string>;
  /** Serves a release; `sendArchive` may misbehave. */
  releasesAt(
    content: Buffer,
    sendArchive?: RequestListener,
  ): Promise<{ readonly address: string; readonly requests: readonly string[] }>;
  /** Puts a Go on the PATH, with this script for everything except `go env`. */
  addGo(version: string, script: string): void;
  close(): void;
}

export async function openMachine(): Promise<FakeMachine> {
  const root = mkdtempSync(join(tmpdir(), "engine-test-"));
  const home = join(root, "home");
  const path = join(root, "bin");
  const servers: Server[] = [];
  mkdirSync(home);
  mkdirSync(path);
  for (const tool of ["chmod", "mkdir", "sleep", "touch"]) {
    symlinkSync(which(tool, process.env) ?? tool, join(path, tool));
  }
  const listen = async (handler: RequestListener) => {
    const server = createServer(handler);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    return `http://127.0.0.1:${address.port}/releases`;
  };
  const unreachable = await listen(() => {});
  servers.pop()?.close();
  const cache = () =>
    join(
      home,
      ...(process.platform === "darwin" ? ["Library", "Caches"] : [".cache"]),
      "pulumi-cloudservices",
    );
  return {
    root,
    home,
    path,
    environment: { HOME: home, PATH: path },
    unreachable,
    cache,
    cached: () => (existsSync(cache()) ? readdirSync(cache()) : []),
    listen,
    async releasesAt(content, sendArchive = (_, response) => response.end(content)) {
      const sum = createHash("sha256").update(content).digest("hex");
      const requests: string[] = [];
      const address = await listen((request, response) => {
        requests.push(request.url ?? "");
        if (request.url?.endsWith("-checksums.txt"))
          response.end(`${"0".repeat(64)}  other.zip\n${sum}  ${archive}\n`);
        else sendArchive(request, response);
      });
      return { address, requests };
    },
    addGo: (version, script) =>
      fake(path, "go", `if [ "$1" = env ]; then echo ${version}; exit; fi\n${script}`),
    close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function fake(folder: string, name: string, script: string) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

export function fakeEngine(folder: string, version: string, files: readonly string[] = engineFiles) {
  for (const name of files) fake(folder, name, name === "pulumi" ? `echo v${version}` : "true");
}

/** A Go that "builds" each program as a script that prints the engine's version. */
export const building = `while [ "$1" != -o ]; do shift; done
echo "echo v${engineVersion}" > "$2"; chmod +x "$2"
touch "$HOME/trace" "$GOMODCACHE-trace"; echo some/package >&2`;

export function tar(files: Readonly<Record<string, string>>) {
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

/** A release with these programs, each of which prints the engine's version. */
export const release = (files: readonly string[] = engineFiles) =>
  tar({
    "pulumi/pulumi-language-go": "x".repeat(5000),
    ...Object.fromEntries(files.map((name) => [`pulumi/${name}`, `#!/bin/sh\necho v${engineVersion}\n`])),
  });
