import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { generate, languagesFolder } from "../../tools/languages/generate.mjs";
import { openFolder } from "../support/folder.js";

const generator = inject("generator");

/** Written by builds of the SDKs, or resolved from a registry. */
const NOT_GENERATED = /(^|\/)(build|dist|__pycache__|[^/]+\.egg-info)\/|\.pyc$|^go\/go\.(mod|sum)$/;

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !NOT_GENERATED.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

it.skipIf("missing" in generator)("the schema generates the committed SDKs (npm run languages)", async () => {
  if ("missing" in generator) throw new Error(generator.missing);
  const { path } = openFolder();
  const generated = join(path, "languages");
  await generate(generator.found, generated);
  expect(filesIn(generated)).toEqual(filesIn(languagesFolder));
});
