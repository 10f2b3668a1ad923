import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isInstalled } from "./dependencies.mjs";

interface Entry {
  readonly version?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock: { packages: Record<string, Entry> } = JSON.parse(
  readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"),
);

/** Returns where Node looks for a dependency of the package in `path`, the nearest folder first. */
function placesFor(path: string, name: string): string[] {
  const parts = path === "" ? [] : path.split("/");
  return [...parts.keys(), parts.length]
    .reverse()
    .map((count) => [...parts.slice(0, count), "node_modules", name].join("/"));
}

it("locks every dependency of every package, for all platforms", () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !placesFor(path, name).some((place) => place in lock.packages))
      .map((name) => `${name}, needed by ${path || "the workspace"}`),
  );
  // npm omits a platform's package that the registry lacks, and "npm ci" then fails on every machine.
  expect(missing).toEqual([]);
});

it("compares the installed packages with the lock file by version", () => {
  const platform = { version: "1.0.0", optional: true };
  const wanted = { packages: { "": {}, "node_modules/a": { version: "1.0.0" }, "node_modules/b": platform } };
  expect(isInstalled(wanted, { packages: { "node_modules/a": { version: "1.0.0" } } })).toBe(true);
  expect(isInstalled(wanted, { packages: { "node_modules/a": { version: "1.0.1" } } })).toBe(false);
  expect(isInstalled(wanted, { packages: {} })).toBe(false);
  expect(isInstalled(wanted, undefined)).toBe(false);
});
