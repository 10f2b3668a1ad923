import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { temporaryFolder } from "../test/folder.js";

const room = fileURLToPath(new URL("..", import.meta.url));
const manifest = z.object({ bin: z.object({ "cloudservices-sandbox": z.string() }) });

async function command(): Promise<string> {
  const { bin } = manifest.parse(JSON.parse(await readFile(join(room, "package.json"), "utf8")));
  return bin["cloudservices-sandbox"];
}

// npm links the commands of a workspace when it installs, which a fresh checkout does before it builds.
test("the command is there before anything is built", async () => {
  const path = await command();
  expect(path).not.toContain("dist");
  await access(join(room, path), constants.X_OK);
});

test("before it is built, it says in one line what to do", async () => {
  const path = await command();
  const folder = await temporaryFolder();
  await cp(join(room, path), join(folder, path));
  const outcome = await new Promise((resolve) => {
    execFile(process.execPath, [join(folder, path), "--version"], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
  expect(outcome).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^cloudservices-sandbox: [^\n]*`npm run build`[^\n]*\n$/),
  });
});
