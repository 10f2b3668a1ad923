import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { importOf } from "./adopt.js";

it("the printed import names the written file, as the project's modules need it", () => {
  const folder = mkdtempSync(join(tmpdir(), "adopt-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const all = () =>
    ["adopted.ts", "src/x.ts", "../y.ts", join(folder, "z.ts")].map((out) => importOf(folder, out));
  expect(all()).toEqual(["./adopted", "./src/x", "../y", "./z"]);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shop" }));
  expect(all()).toEqual(["./adopted", "./src/x", "../y", "./z"]);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  expect(all()).toEqual(["./adopted.js", "./src/x.js", "../y.js", "./z.js"]);
});
