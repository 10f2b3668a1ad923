import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { ensureEngine } from "../../tools/engine/ensure.mjs";
import { ensureHost, type Host, type HostName } from "../../tools/engine/hosts.mjs";
import { which } from "../../tools/engine/on-path.mjs";
import { SharedGo } from "../../tools/engine/shared-go.mjs";
import { engineVersion } from "../../tools/engine/version.mjs";
import { ensureGenerator, languagesFolder } from "../../tools/languages/generate.mjs";
import { run } from "../../tools/process/run.mjs";
import { local } from "../../tools/setup/paths.mjs";

/** What a test needs, or why this machine lacks it. */
export type Prerequisite<T> = { readonly found: T } | { readonly missing: string };

declare module "vitest" {
  interface ProvidedContext {
    hosts: Readonly<Record<HostName, Prerequisite<Host>>>;
    /** Path of the program that generates the SDKs. */
    generator: Prerequisite<string>;
    /** Folder of a virtual environment with everything that the Python SDK needs. */
    venv: Prerequisite<string>;
    /** Path of a Go that has downloaded the modules of the Go SDK. */
    go: Prerequisite<string>;
  }
}

const log = (line: string) => console.error(`languages: ${line}`);

/** Runs once before the tests of other languages. What a machine lacks is reported here; its tests are skipped. */
export async function setup(project: TestProject): Promise<() => void> {
  const engine = await ensureEngine({ log });
  const go = new SharedGo({ env: process.env, log });
  try {
    const host = (name: HostName) =>
      attempt(`host for ${name}`, () => ensureHost(name, { engineFolder: engine.folder, go, log }));
    project.provide("hosts", {
      python: await host("python"),
      go: await host("go"),
      yaml: await host("yaml"),
    });
    project.provide("generator", await attempt("generator", () => ensureGenerator({ go, log })));
  } finally {
    go.close();
  }
  project.provide("go", await attempt("Go", goWithModules));
  mkdirSync(local, { recursive: true });
  const temporary = mkdtempSync(join(local, "python-"));
  project.provide("venv", await attempt("Python", () => makeVenv(join(temporary, "venv"))));
  return () => rmSync(temporary, { recursive: true, force: true });
}

async function attempt<T>(subject: string, get: () => Promise<T>): Promise<Prerequisite<T>> {
  try {
    return { found: await get() };
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    log(`no ${subject}, so the tests that need it are skipped: ${missing}`);
    return { missing };
  }
}

async function goWithModules(): Promise<string> {
  const program = which("go", process.env);
  if (!program) throw new Error("no go on the PATH");
  await succeed(program, ["mod", "download"], join(languagesFolder, "go"));
  return program;
}

async function makeVenv(folder: string): Promise<string> {
  const python = which("python3", process.env);
  if (!python) throw new Error("no python3 on the PATH");
  await succeed(python, ["-m", "venv", folder]);
  const packages = [`pulumi==${engineVersion}`, "parver", "semver", "setuptools", "wheel"];
  await succeed(join(folder, "bin", "python"), [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--retries",
    "1",
    ...packages,
  ]);
  return folder;
}

async function succeed(program: string, args: readonly string[], cwd?: string): Promise<void> {
  const { code, stderr, problem } = await run(program, args, { timeoutMs: 300_000, ...(cwd && { cwd }) });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${problem ?? stderr.trim()}`);
}
