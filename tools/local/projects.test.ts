import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../setup/paths.mjs";
import { isExample, projectNamed, quickstart } from "./projects.mjs";

it("finds an example by its name or its folder, and the quickstart without one", () => {
  expect(projectNamed()).toBe(quickstart);
  for (const given of ["web-app", "examples/web-app", "./examples/web-app/"])
    expect(projectNamed(given)).toMatchObject({
      name: "web-app",
      stack: "dev",
      program: "examples/web-app/index.ts",
    });
  for (const name of ["quickstart", "javascript", "web-app", "web-app-campaign"]) {
    const { program, settings } = projectNamed(name);
    expect(existsSync(join(root, program)), program).toBe(true);
    expect(settings === undefined || existsSync(settings), settings).toBe(true);
  }
});

it("lists the examples when there is none of this name, or it needs another language", () => {
  for (const name of ["web-ap", "python-quickstart", ".."])
    expect(() => projectNamed(name)).toThrow("quickstart, javascript, web-app, web-app-campaign");
  expect(["stack", "up", ""].filter(isExample)).toEqual([]);
});
