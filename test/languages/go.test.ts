import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { languagesFolder } from "../../tools/languages/generate.mjs";
import { run } from "../../tools/process/run.mjs";

const go = inject("go");

describe.skipIf("missing" in go)("the SDK for Go", () => {
  const program = "found" in go ? go.found : "";

  it("compiles and has no mistakes that go vet finds", async () => {
    const { code, stderr } = await run(program, ["vet", "./..."], { cwd: join(languagesFolder, "go") });
    expect(code, stderr).toBe(0);
  });
});
