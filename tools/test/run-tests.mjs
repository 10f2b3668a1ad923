import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { descendants, signal } from "../process/tree.mjs";
import { local, root } from "../setup/paths.mjs";
import { prepare, preparePackages } from "../setup/prepare.mjs";
import { Problem } from "../setup/problem.mjs";
import { countOf, lineOf } from "./count.mjs";

const report = join(local, "test", "report.json");
/** A copy of the last line, for callers of `npm test`: npm adds lines of its own after a failure. */
const summary = join(local, "test", "summary");

const log = (/** @type {string} */ line) => console.error(`set-up: ${line}`);

/**
 * Prepares the checkout, runs all tests, and prints the counts.
 *
 * @param {string[]} args passed on to vitest, such as a path
 * @returns {Promise<number>} vitest's exit code
 */
export async function runTests(args) {
  return counted(() => prepare(log), args);
}

/**
 * Runs the unit tests. Tests that are tagged as slow run only where a path is given.
 *
 * @param {string[]} args passed on to vitest, such as a path
 * @returns {Promise<number>} vitest's exit code
 */
export async function runUnitTests(args) {
  const hasPath = args.some((arg) => !arg.startsWith("-"));
  // Threads start faster than processes, and most of the time is loading modules.
  const quick = hasPath ? [] : ["--tagsFilter=!slow", "--pool=threads", "--maxWorkers=100%"];
  return counted(() => preparePackages(log), ["--project", "unit", ...quick, ...args]);
}

/**
 * @param {() => Promise<unknown>} setUp
 * @param {string[]} args
 */
async function counted(setUp, args) {
  mkdirSync(dirname(report), { recursive: true });
  for (const file of [report, summary]) rmSync(file, { force: true });
  await setUp();

  const code = await vitest([
    ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    ...args,
  ]);
  const counts = lineOf(countOf(readReport(code), code));
  writeFileSync(summary, `${counts}\n`);
  console.log(counts);
  return code;
}

/** @param {number} code */
function readReport(code) {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    throw new Problem(
      `The tests were not run: vitest exited with code ${code} and wrote no report. See above.`,
    );
  }
}

/**
 * Runs vitest, and kills its descendants when this process is interrupted: the engines that tests have started do not
 * exit on their own.
 *
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function vitest(args) {
  return new Promise((resolve, reject) => {
    const program = join(root, "node_modules", "vitest", "vitest.mjs");
    const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: "inherit" });
    let ended = false;
    const stop = async (/** @type {NodeJS.Signals} */ name) => {
      if (ended || !child.pid) return;
      ended = true;
      // List them before killing any: a process whose parent has exited can no longer be attributed.
      const all = [child.pid, ...(await descendants(child.pid))];
      for (const pid of all) signal(pid, "SIGKILL");
      process.exit(name === "SIGINT" ? 130 : 143);
    };
    for (const name of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
      process.removeAllListeners(name);
      process.on(name, stop);
    }
    child.on("error", reject);
    child.on("close", (code) => {
      ended = true;
      resolve(code ?? 1);
    });
  });
}
