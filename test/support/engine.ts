import type { TestProject } from "vitest/node";
import { ensureEngine } from "../../tools/engine/ensure.mjs";
import { type CompileCache, ensureCompileCache } from "./compile-cache.js";
import { removeAbandoned } from "./folder.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the `pulumi` program and its plugins. */
    engineFolder: string;
    compileCache: CompileCache;
  }
}

/** Runs once before all end-to-end tests. */
export async function setup(project: TestProject): Promise<void> {
  removeAbandoned();
  const { folder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  project.provide("engineFolder", folder);
  project.provide("compileCache", await ensureCompileCache());
}
