import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Import {
  readonly from: string;
  readonly to: string;
}

function importsUnder(folder: string): Import[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter(
      (file) =>
        /\.(ts|mjs)$/.test(file) && !/\.test\.ts$/.test(file) && !/(^|\/)(dist|node_modules)\//.test(file),
    )
    .flatMap((file) => {
      const path = join(root, folder, file);
      const source = readFileSync(path, "utf8");
      const specifiers = [...source.matchAll(/(?:\bfrom|\bimport\(?|\brequire\()\s*"([^"]+)"/g)].map(
        (match) => match[1] ?? "",
      );
      return specifiers.map((specifier) => ({
        from: relative(root, path),
        to: specifier.startsWith(".") ? relative(root, join(path, "..", specifier)) : specifier,
      }));
    });
}

const offending = (folder: string, forbidden: (found: Import) => boolean): string[] =>
  importsUnder(folder)
    .filter(forbidden)
    .map(({ from, to }) => `${from} -> ${to}`);

const packages = /^(cloudservices-sdk|cloudservices-sandbox|pulumi-cloudservices)(\/|$)/;
const outside = (folder: string) => (found: Import) =>
  !found.to.startsWith(`${folder}/`) &&
  found.to.includes("/") &&
  /^(sdk|provider|sandbox|examples|test|tools|bench)\//.test(found.to);

describe("a dependency points one way", () => {
  it("finds imports at all", () => {
    for (const room of ["sdk/src", "provider/src", "sandbox/src", "tools"])
      expect(importsUnder(room).length).toBeGreaterThan(5);
  });

  it("the sdk knows nothing of Pulumi, the provider or the sandbox", () => {
    expect(offending("sdk/src", ({ to }) => packages.test(to) || to.startsWith("@pulumi/"))).toEqual([]);
  });

  it("the sandbox reads the specification on its own", () => {
    expect(offending("sandbox/src", ({ to }) => packages.test(to) || to.startsWith("@pulumi/"))).toEqual([]);
  });

  it("the provider leaves HTTP to the sdk, and does not know the sandbox", () => {
    const http = /^(undici|node:https?|node:net|node:tls|cloudservices-sandbox)(\/|$)/;
    expect(offending("provider/src", ({ to }) => http.test(to))).toEqual([]);
  });

  it("the kernel meets Pulumi only where it speaks the engine's protocol", () => {
    const adapters = ["provider/src/kernel/dynamic.ts", "provider/src/kernel/engine-log.ts"];
    expect(
      offending(
        "provider/src/kernel",
        ({ from, to }) => to.startsWith("@pulumi/") && !adapters.includes(from),
      ),
    ).toEqual([]);
  });

  it("the kernel does not know the kinds", () => {
    expect(
      offending("provider/src/kernel", ({ to }) => /^provider\/src\/(resources|functions)\//.test(to)),
    ).toEqual([]);
  });

  it("each room is entered by its published name only", () => {
    for (const room of ["sdk", "provider", "sandbox", "examples"])
      expect(offending(room, outside(room))).toEqual([]);
  });

  it("the tools run before anything is installed", () => {
    expect(offending("tools", ({ to }) => !to.startsWith("node:") && !to.startsWith("tools/"))).toEqual([]);
  });
});
