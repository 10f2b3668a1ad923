import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { languagesFolder } from "../../tools/languages/generate.mjs";
import { run } from "../../tools/process/run.mjs";
import { filesOf, liveThrough } from "./quickstart.js";

const go = inject("go");
const { go: host } = inject("hosts");

describe.skipIf("missing" in go)("the SDK for Go", () => {
  const program = "found" in go ? go.found : "";

  it("compiles and has no mistakes that go vet finds", async () => {
    const { code, stderr } = await run(program, ["vet", "./..."], { cwd: join(languagesFolder, "go") });
    expect(code, stderr).toBe(0);
    // The first time on a machine, Go compiles Pulumi's SDK.
  }, 600_000);

  it.skipIf("missing" in host)("runs the quickstart from up to destroy", async () => {
    if ("missing" in host) throw new Error(host.missing);
    const files = filesOf("go-quickstart", ["Pulumi.yaml", "main.go", "go.mod", "go.sum"]);
    await liveThrough({
      host: host.found,
      program: "main.go",
      files: {
        ...files,
        "go.mod": String(files["go.mod"]).replace(
          "=> ../../languages/go",
          `=> ${join(languagesFolder, "go")}`,
        ),
      },
    });
  });
});
