import type { TestProject } from "vitest/node";
import { ensureEngine } from "../../tools/engine/ensure.mjs";
import { ensureCompileCache } from "./compile-cache.js";
import { removeAbandoned } from "./folder.js";
import { startKeyServer } from "./key-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the `pulumi` program and its plugins. */
    engineFolder: string;
    /** Added to the environment of the engine in most tests: it then needs half of the time. */
    engineSettings: Readonly<Record<string, string>>;
    /** The key that encrypts the secrets of stacks, in base64. */
    stackKey: string;
  }
}

/** Runs once before all end-to-end tests. */
export async function setup(project: TestProject): Promise<() => void> {
  removeAbandoned();
  const { folder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  project.provide("engineFolder", folder);
  const { key, environment, close } = await startKeyServer();
  project.provide("stackKey", key);
  project.provide("engineSettings", { ...(await ensureCompileCache()), ...environment });
  return close;
}
