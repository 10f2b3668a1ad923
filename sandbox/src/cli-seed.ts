import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { SandboxControl } from "./control/sandbox-control.js";
import { seedSchema } from "./control/seed.js";
import { attemptAll } from "./core/attempt-all.js";

/**
 * Seeds a sandbox with a file, or with a folder's `.json` files in the order of their names. Does nothing where the
 * data folder already holds resources. If one resource is rejected, or the signal aborts before the last file, none
 * remains.
 * @throws Error that names the file.
 */
export async function loadSeed(sandbox: SandboxControl, path: string, signal?: AbortSignal): Promise<void> {
  if (sandbox.resources().length > 0) return;
  const created: string[] = [];
  for (const file of await seedFiles(path)) {
    try {
      signal?.throwIfAborted();
      const seed = seedSchema.parse(JSON.parse(await readFile(file, "utf8")));
      for (const { id } of await sandbox.seed(seed)) created.push(id);
    } catch (error) {
      // Otherwise the next start would find resources, and skip the rest.
      const failures = await attemptAll(created.map((id) => () => sandbox.remove(id)));
      const reasons = [error, ...failures].map(reasonOf);
      throw new Error(`${file}: ${reasons.join("; ")}`, { cause: error });
    }
  }
}

/**
 * Loads a state, unless the data folder already holds resources.
 * @throws Error that names the file.
 */
export async function loadState(sandbox: SandboxControl, path: string): Promise<void> {
  if (sandbox.resources().length > 0) return;
  await sandbox.importState(path).catch((error: unknown) => {
    throw new Error(`${path}: ${reasonOf(error)}`, { cause: error });
  });
}

async function seedFiles(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => name.endsWith(".json"));
  // By code units, so that the order is the same everywhere: 01-, 02-, …
  return names.sort().map((name) => join(path, name));
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error).replaceAll("\n", " ");
  return error instanceof Error ? error.message : String(error);
}
