import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../tools/process/run.mjs";
import { local, root } from "../../tools/setup/paths.mjs";

const hook = fileURLToPath(new URL("compile-cache.cjs", import.meta.url));

/** What each process of a plugin or of a program loads. */
const load =
  'require("@pulumi/pulumi"); require("@pulumi/pulumi/provider"); require("source-map-support/register");';

/** The environment in which Node's processes load compiled packages. */
export type CompileCache = Readonly<Record<"NODE_OPTIONS" | "TEST_COMPILE_CACHE", string>>;

/** Compiles the packages once for each version of Node and of the packages. */
export async function ensureCompileCache(): Promise<CompileCache> {
  const versions = createHash("sha256")
    .update(process.version + process.arch + root)
    .update(readFileSync(join(root, "package-lock.json")))
    .update(readFileSync(hook))
    .digest("hex");
  const file = join(local, "test", `compiled-${versions.slice(0, 12)}`);
  mkdirSync(dirname(file), { recursive: true });
  const environment = { NODE_OPTIONS: `--require ${JSON.stringify(hook)}`, TEST_COMPILE_CACHE: file };
  if (!existsSync(file)) {
    const written = await run(process.execPath, ["-e", load], {
      cwd: root,
      env: { ...process.env, ...environment, TEST_COMPILE_CACHE_WRITE: "1" },
    });
    if (written.code !== 0) throw new Error(`The packages cannot be compiled: ${written.stderr}`);
  }
  return environment;
}
