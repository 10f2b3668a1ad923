import { spawn } from "node:child_process";

/** The running process groups that this process started. */
const groups = new Set();

process.on("exit", () => {
  for (const group of groups) killGroup(group, "SIGKILL");
});

/**
 * Sends a signal to a process group; ignores one that has exited.
 *
 * @param {number} group
 * @param {NodeJS.Signals} signal
 */
function killGroup(group, signal) {
  try {
    process.kill(-group, signal);
  } catch {
    // It has exited.
  }
}

/**
 * @typedef {object} Outcome
 * @property {number | undefined} code exit code; `undefined` if it did not start, was killed, or timed out
 * @property {string} stdout
 * @property {string} stderr
 * @property {string} [problem] why there is no exit code
 */

/**
 * Runs a program in its own process group, which never outlives this process. Does not throw: a program that cannot be
 * started is an outcome too.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.input] the program's standard input; empty by default
 * @param {number} [options.timeoutMs] kills the program after this time
 * @param {(text: string) => void} [options.onOutput] receives its output in chunks
 * @param {AbortSignal} [options.signal] kills it
 * @returns {Promise<Outcome>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: options.cwd, env: options.env, detached: true });
    const output = { stdout: "", stderr: "" };
    /** @type {string | undefined} */
    let problem;
    const kill = (/** @type {string} */ reason) => {
      problem = reason;
      if (child.pid) killGroup(child.pid, "SIGKILL");
    };
    const { timeoutMs, signal } = options;
    const timer = timeoutMs && setTimeout(() => kill(`no exit within ${timeoutMs / 1000} s`), timeoutMs);
    const abort = () => kill("interrupted");
    signal?.addEventListener("abort", abort, { once: true });

    if (child.pid) groups.add(child.pid);
    for (const stream of /** @type {const} */ (["stdout", "stderr"])) {
      child[stream].setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        output[stream] += text;
        options.onOutput?.(text);
      });
    }
    // The program may exit before it has read all of its input.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");

    const finish = (/** @type {number | null} */ code, /** @type {string | undefined} */ reason) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      if (child.pid) groups.delete(child.pid);
      resolve({ code: code ?? undefined, ...output, ...(reason && { problem: reason }) });
    };
    child.on("error", (error) => finish(null, error.message));
    child.on("close", (code, name) =>
      finish(problem ? null : code, problem ?? (name ? `killed by ${name}` : undefined)),
    );
  });
}
