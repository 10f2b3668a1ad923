import { cpSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { languagesFolder } from "../../tools/languages/generate.mjs";
import { run } from "../../tools/process/run.mjs";
import { openFolder } from "../support/folder.js";
import { filesOf, liveThrough } from "./quickstart.js";

const venv = inject("venv");
const { python: host } = inject("hosts");

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

  it.skipIf("missing" in host)("runs the quickstart from up to destroy", async () => {
    if ("missing" in host) throw new Error(host.missing);
    const { PATH = "" } = process.env;
    await liveThrough({
      host: host.found,
      program: "__main__.py",
      files: filesOf("python-quickstart", ["Pulumi.yaml", "__main__.py"]),
      // A built host ignores the option `virtualenv`, so the environment is active.
      env: { PATH: [join(folder, "bin"), PATH].join(delimiter), VIRTUAL_ENV: folder },
      prepare: (project) => symlinkSync(folder, join(project.folder, "venv")),
    });
  });
});
