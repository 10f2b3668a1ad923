import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../tools/process/run.mjs";
import { local, root } from "../../tools/setup/paths.mjs";

const hook = fileURLToPath(new URL("compile-cache.cjs", import.meta.url));

/** What each process of a plugin or of a program loads. */
const packages = [
  "@pulumi/pulumi",
  "@pulumi/pulumi/provider",
  "source-map-support/register",
  "pulumi-cloudservices",
  "pulumi-cloudservices/dynamic",
  "undici",
];

const builds = ["sdk/dist", "provider/dist", "provider/bundle"];

const DAY_MS = 86_400_000;

/** Returns the paths and modification times of the files in a package's build. */
function* builtFiles(folder: string): Generator<string> {
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    yield `${path} ${statSync(join(root, path)).mtimeMs}`;
  }
}

/**
 * Compiles the packages once for each version of Node, of the packages and of our own build.
 *
 * @returns the environment in which Node's processes load what was compiled
 */
export async function ensureCompileCache(): Promise<Readonly<Record<string, string>>> {
  const versions = createHash("sha256")
    .update(process.version + process.arch + root)
    .update(readFileSync(join(root, "package-lock.json")))
    .update(readFileSync(hook))
    .update(builds.flatMap((folder) => [...builtFiles(folder)]).join("\n"))
    .digest("hex");
  const folder = join(local, "test");
  const name = `compiled-${versions.slice(0, 12)}`;
  const file = join(folder, name);
  mkdirSync(folder, { recursive: true });
  const environment = {
    NODE_OPTIONS: `--require ${JSON.stringify(hook)}`,
    // Where a machine sets it, each process of Node reads all certificates at its start. No test of the engine leaves
    // the machine.
    NODE_EXTRA_CA_CERTS: "",
    TEST_COMPILE_CACHE: file,
  };
  if (!existsSync(file)) {
    removeOld(folder);
    const load = packages.map((name) => `require(${JSON.stringify(name)});`).join("");
    const written = await run(process.execPath, ["-e", load], {
      cwd: join(root, "provider"),
      env: { ...process.env, ...environment, TEST_COMPILE_CACHE_WRITE: "1" },
    });
    if (written.code !== 0) throw new Error(`The packages cannot be compiled: ${written.stderr}`);
  }
  return environment;
}

/** Removes the files of former builds. Other runs may still use the latest. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith("compiled-") && Date.now() - statSync(path).mtimeMs > DAY_MS)
      rmSync(path, { force: true });
  }
}
