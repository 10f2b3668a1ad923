import { spawn } from "node:child_process";
import { descendants, isAlive, killTree, signal } from "../../tools/process/tree.mjs";
import { closeLater } from "../support/folder.js";
import { until } from "../support/processes.js";
import type { ConsumerProject } from "./consumer-project.js";

/** A command that runs until it is interrupted. */
export interface RunningCommand {
  /** Its output up to the point at which it was ready. */
  readonly output: string;
  /** Sends Ctrl-C, and resolves when the command and all its child processes have ended. */
  interrupt(): Promise<void>;
}

/** Starts a command in a process group of its own, like a terminal, and waits until it prints that it is ready. */
export async function startCommand(
  { folder, env }: ConsumerProject,
  [command, ...args]: readonly [string, ...string[]],
  isReady: RegExp,
): Promise<RunningCommand> {
  const child = spawn(command, args, { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} did not start.`);
  closeLater(() => killTree(pid));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  await until(() => isReady.test(output) || ended(), `the start of ${command}`);
  if (ended()) throw new Error(`${command} ended with ${child.exitCode}:\n${output}`);
  return {
    output,
    async interrupt() {
      const all = [pid, ...(await descendants(pid))];
      // The terminal interrupts the whole group.
      signal(-pid, "SIGINT");
      await until(() => !all.some(isAlive), `the end of all that ${command} started`);
    },
  };
}
