import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { root } from "../../tools/setup/paths.mjs";

/** A command that gets one of our packages by its name. */
const BY_NAME =
  /(npm (i|install|add)|pnpm (i|install|add|dlx)|yarn (add|dlx)|bun add|bunx|pip install|go get)\s+(-\S+\s+)*(pulumi[-_]cloudservices|cloudservices-(sdk|sandbox))/;

/** Without `--no`, npx gets what is not installed; without `--`, npm takes the flags for its own. */
const BY_NPX = /npx\s+(?!--no -- )(-\S+\s+)*(pulumi-cloudservices|cloudservices-(sdk|sandbox))/;

it("no text recommends to install a package by a name that is not in the registry", () => {
  expect("npm install -D cloudservices-sdk@latest").toMatch(BY_NAME);
  expect("npx pulumi-cloudservices doctor").toMatch(BY_NPX);
  expect("npx --no pulumi-cloudservices doctor").toMatch(BY_NPX);
  expect("npx --no -- pulumi-cloudservices doctor").not.toMatch(BY_NPX);
  expect("npm install ../packages/cloudservices-sdk-0.1.0.tgz").not.toMatch(BY_NAME);
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter(
      (file) => /\.(md|ts|mjs|cjs|py|go|yaml|yml|sh|json)$/.test(file) && !file.endsWith("names.test.ts"),
    );
  expect(files.length).toBeGreaterThan(500);
  const found = files.filter((file) => {
    const text = readFileSync(`${root}/${file}`, "utf8");
    return BY_NAME.test(text) || BY_NPX.test(text);
  });
  expect(found).toEqual([]);
});
