// @module-tag slow

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { referencePages } from "./reference.js";

const pages = referencePages();

describe("the reference of resources", () => {
  it.each(pages)("docs/$path matches the definitions", async ({ path, text }) => {
    await expect(text, `docs/${path} is out of date: run \`npm run schema\``).toMatchFileSnapshot(
      `../../../docs/${path}`,
    );
  });

  it("has no page of a kind that does not exist", () => {
    const files = readdirSync(new URL("../../../docs/resources/", import.meta.url));
    const [, ...ofKinds] = pages.map(({ path }) => path.replace("resources/", ""));
    expect(files.sort()).toEqual(ofKinds.sort());
  });
});
