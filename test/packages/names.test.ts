import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { root } from "../../tools/setup/paths.mjs";

/** A command that gets one of our packages by its name. */
const BY_NAME =
  /(npm (i|install|add)|pnpm (i|install|add)|yarn add|bun add|pip install|go get)\s+(-\S+\s+)*(pulumi[-_]cloudservices|cloudservices-(sdk|sandbox))/;

it("no text recommends to install a package by a name that is not in the registry", () => {
  expect("npm install -D cloudservices-sdk@latest").toMatch(BY_NAME);
  expect("npm install ../packages/cloudservices-sdk-0.1.0.tgz").not.toMatch(BY_NAME);
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter(
      (file) => /\.(md|ts|mjs|cjs|py|go|yaml|yml|sh|json)$/.test(file) && !file.endsWith("names.test.ts"),
    );
  expect(files.length).toBeGreaterThan(500);
  const found = files.filter((file) => BY_NAME.test(readFileSync(`${root}/${file}`, "utf8")));
  expect(found).toEqual([]);
});
