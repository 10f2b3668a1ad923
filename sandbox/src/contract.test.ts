// @module-tag slow

import { execFile } from "node:child_process";
import { access, readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { sandboxFor } from "../test/api-client.js";
import { temporaryFolder } from "../test/folder.js";

const run = promisify(execFile);
const VERSION = "4.32.0";
const settings = fileURLToPath(new URL("../schemathesis.toml", import.meta.url));

const hasPython = await run("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 10))"]).then(
  () => true,
  () => false,
);

/** Schemathesis, installed once into a folder of its own beside other tools' caches. */
async function schemathesis(): Promise<string> {
  const folder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), `schemathesis-${VERSION}`);
  const program = join(folder, "bin", "st");
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    await run("python3", ["-m", "venv", folder]);
    await run(join(folder, "bin", "pip"), ["install", "--quiet", `schemathesis==${VERSION}`]);
  }
  return program;
}

const loaded = z.object({
  LoadingFinished: z.object({
    statistic: z.object({
      operations: z.object({ selected: z.int() }),
      transitions: z.object({ selected: z.int() }),
    }),
  }),
});

test.runIf(hasPython)(
  "the service keeps to its own OpenAPI document, whatever it is sent",
  { timeout: 600_000 },
  async () => {
    const program = await schemathesis();
    const reports = await temporaryFolder();
    const sandbox = await sandboxFor({ provisioning: { databaseMs: 0, vpsMs: 0, vpsActionMs: 0 } });
    const outcome = await run(
      program,
      [
        ...[
          "--config-file",
          settings,
          "run",
          `${sandbox.url}/openapi.json`,
          "--header",
          `Authorization: Bearer ${sandbox.apiKey}`,
        ],
        ...[
          "--max-examples",
          "10",
          "--seed",
          "1",
          "--no-color",
          "--report",
          "ndjson",
          "--report-dir",
          reports,
        ],
      ],
      { cwd: reports, maxBuffer: 64 * 1024 * 1024 },
    ).catch((error: unknown) => Object(error));
    expect(outcome.stdout).not.toContain("Failures:");
    expect(outcome.code ?? 0).toBe(0);
    const [report] = await readdir(reports).then((names) => names.filter((name) => name.endsWith(".ndjson")));
    const lines = (await readFile(join(reports, report ?? ""), "utf8"))
      .split("\n")
      .filter((line) => line !== "");
    const { statistic } =
      lines.flatMap((line) => loaded.safeParse(JSON.parse(line)).data ?? [])[0]?.LoadingFinished ?? {};
    expect(statistic).toMatchObject({ operations: { selected: 35 }, transitions: { selected: 24 } });
  },
);
