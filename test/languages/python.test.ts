import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { languagesFolder } from "../../tools/languages/generate.mjs";
import { run } from "../../tools/process/run.mjs";
import { openFolder } from "../support/folder.js";

const venv = inject("venv");

describe.skipIf("missing" in venv)("the SDK for Python", () => {
  const folder = "found" in venv ? venv.found : "";
  const python = join(folder, "bin", "python");

  beforeAll(async () => {
    // A copy, because the installation writes into the folder.
    const copy = join(openFolder().path, "sdk");
    cpSync(join(languagesFolder, "python"), copy, { recursive: true });
    const install = ["-m", "pip", "install", "--no-index", "--no-build-isolation", copy];
    const { code, stdout, stderr } = await run(python, install);
    expect(code, stdout + stderr).toBe(0);
  });

  it("installs with pip and has every class", async () => {
    const program = "import pulumi_cloudservices as c; print(c.Link.__name__, c.Provider.__name__)";
    expect(await run(python, ["-c", program])).toMatchObject({ code: 0, stdout: "Link Provider\n" });
  });
});
