import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { run } from "../../tools/process/run.mjs";
import { outsideNpm } from "./consumer-project.js";
import { bytesOf, emptyFolder, packInto, rooms, root, type Tarball } from "./tarballs.js";

let tarballs: Tarball[];
beforeAll(async () => {
  tarballs = await packInto(emptyFolder());
});

const tarballOf = (room: string): Tarball => {
  const found = tarballs.find((tarball) => tarball.room === room);
  if (!found) throw new Error(`${room} was not packed.`);
  return found;
};

const published = z.record(
  z.string(),
  z.object({
    size: z.number(),
    unpackedSize: z.number(),
    files: z.array(z.object({ path: z.string() })),
  }),
);

const missing = (name: string): never => {
  throw new Error(`npm publish does not name ${name}.`);
};

const guide = readFileSync(join(root, "docs/installing.md"), "utf8");

describe.each(rooms)("the package in %s", (room) => {
  it("contains its files and metadata, and no build or test files", () => {
    const { files } = tarballOf(room);
    expect(files).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
    expect(files.filter((file) => /\.d\.ts$/.test(file)).length).toBeGreaterThan(0);
    expect(files.filter((file) => /(^|\/)(src|test|node_modules)\/|\.test\.|tsbuildinfo/.test(file))).toEqual(
      [],
    );
  });

  it.runIf(room === "provider")("contains the schema that the plugin returns", () => {
    expect(tarballOf(room).files).toContain("schema.json");
  });

  it("passes publint, including its suggestions", async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: bytesOf(tarballOf(room)).buffer },
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg ?? {}, { color: false }))).toEqual([]);
  });

  it("is accepted by `npm publish` as it is, and has the size that docs/installing.md states", async () => {
    const { code, stdout, stderr } = await run("npm", ["publish", "--dry-run", "--json"], {
      cwd: join(root, room),
      env: outsideNpm(process.env),
    });
    expect(code, stderr).toBe(0);
    // npm corrects a manifest with a warning. Only a release is logged in.
    const warnings = stderr.split("\n").filter((line) => /^npm warn publish/.test(line));
    expect(warnings.filter((line) => !line.includes("requires you to be logged in"))).toEqual([]);
    const { name } = tarballOf(room);
    const { size, unpackedSize, files } = published.parse(JSON.parse(stdout))[name] ?? missing(name);
    expect(files.map(({ path }) => path).sort()).toEqual([...tarballOf(room).files].sort());
    const row = guide.split("\n").find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
    const [packedKb, unpackedKb] = [...row.matchAll(/(\d+) kB/g)].map(([, kb]) => Number(kb));
    for (const [bytes, stated] of [
      [size, packedKb],
      [unpackedSize, unpackedKb],
    ] as const)
      expect(Math.abs(bytes / 1000 / Number(stated) - 1), `${bytes} bytes`).toBeLessThan(0.1);
  });

  // What a form of resolution cannot do is no fault of the types; each is one that we do without on purpose.
  const without: Readonly<Record<string, readonly string[]>> = {
    // Only the engine requires it, and never for its types.
    provider: ["./dynamic: NoResolution (node10)"],
    // ES modules alone: decision 0003.
    sandbox: [".: CJSResolvesToESM (node16-cjs)"],
  };

  it("has correct types in every resolution mode", async () => {
    const result = await checkPackage(createPackageFromTarballData(bytesOf(tarballOf(room))));
    if (result.types === false) throw new Error("The package has no types.");
    const problems = result.problems.map((problem) =>
      "resolutionKind" in problem
        ? `${problem.entrypoint}: ${problem.kind} (${problem.resolutionKind})`
        : problem.kind,
    );
    expect(problems).toEqual(without[room] ?? []);
  });
});
