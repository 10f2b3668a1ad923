import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Verdict } from "./report.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Runs the campaign's command, and returns its verdicts. */
export function campaign(...args: string[]): Promise<Verdict[]> {
  const folder = mkdtempSync(join(tmpdir(), "faults-"));
  const file = join(folder, "verdicts.json");
  return new Promise((resolve, reject) => {
    const command = [join(root, "test/faults/start.mjs"), "--json", file, ...args];
    // It exits with 1 if a case fails; the file says which.
    execFile(process.execPath, command, { cwd: root, maxBuffer: 1e8 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(readFileSync(file, "utf8")));
      } catch {
        reject(new Error(`the campaign left no results:\n${stdout}\n${stderr}`));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
}

/** Formats what broke in a case, and the command that replays it. */
function failureOf({ replay, problems }: Verdict): string {
  const broken = problems.map(
    ({ rule, text, entries }) => `    ${rule}: ${text}${entries.map((entry) => `\n      ${entry}`).join("")}`,
  );
  return [replay, ...broken].join("\n");
}

/** Returns every case that broke a promise. */
export const failuresIn = (verdicts: readonly Verdict[]): string[] =>
  verdicts.filter((verdict) => verdict.problems.length > 0).map(failureOf);
