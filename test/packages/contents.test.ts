import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, describe, expect, it } from "vitest";
import { bytesOf, emptyFolder, packInto, rooms, type Tarball } from "./tarballs.js";

let tarballs: Tarball[];
beforeAll(async () => {
  tarballs = await packInto(emptyFolder());
});

const tarballOf = (room: string): Tarball => {
  const found = tarballs.find((tarball) => tarball.room === room);
  if (!found) throw new Error(`${room} was not packed.`);
  return found;
};

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
