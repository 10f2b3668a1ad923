import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import type { GenerationOptions } from "./generation.js";

/*
 * Serves the provider through Pulumi's host of dynamic providers, once for each process that a run needs. A generation
 * simulates a process: it evaluates the modules again, with its own clock, console and arguments, and after a kill it
 * sends and receives nothing. Starting one takes milliseconds; a real process takes a second.
 */

export const require = createRequire(import.meta.url);
export const root = process.env["CAMPAIGN_ROOT"] ?? fileURLToPath(new URL("../../../", import.meta.url));
/** The program of a provider process: the engine's host of dynamic providers, or the plugin. */
export const HOST =
  process.env["CAMPAIGN_FORM"] === "native"
    ? `${root}provider/dist/plugin.js`
    : require.resolve("@pulumi/pulumi/cmd/dynamic-provider");

/** Changes the text of a module of the product before it runs, to break the provider. */
export type Patch = (path: string, source: string) => string;

export type Values = Readonly<Record<string, unknown>>;
export type Factory = (...values: unknown[]) => void;

function compile(source: string, filename: string): Factory {
  const evaluate = compileFunction(source, NAMES, { filename });
  return (...values) => Reflect.apply(evaluate, undefined, values);
}

export const NAMES = [
  "exports",
  "require",
  "module",
  "__filename",
  "__dirname",
  "process",
  "console",
  "Date",
  "performance",
  "setTimeout",
  "clearTimeout",
];

const factories = new Map<string, Factory>();

export function factoryOf(path: string, patch: GenerationOptions["patch"]): Factory {
  const key = `${patch?.name ?? ""} ${path}`;
  const known = factories.get(key);
  if (known) return known;
  const source = readFileSync(path, "utf8");
  const text = patch?.apply(path, source) ?? source;
  // Code that is evaluated in this way cannot import; the host serves these modules too.
  const made = compile(text.replaceAll(/\bimport\(("[^"]+")\)/g, "Promise.resolve(require($1))"), path);
  factories.set(key, made);
  return made;
}

const texts = new Map<string, Factory>();

export function textOf(source: string): Factory {
  const made = texts.get(source) ?? compile(source, "state");
  texts.set(source, made);
  return made;
}

export const isOwn = (path: string): boolean =>
  path === HOST || path.startsWith(`${root}provider/dist/`) || path.startsWith(`${root}sdk/dist/cjs/`);
