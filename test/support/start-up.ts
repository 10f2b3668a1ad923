import { spawn } from "node:child_process";
import { once } from "node:events";
import type { TestProject } from "./project.js";

/** A running `pulumi up`. */
interface RunningUp {
  /** Presses Ctrl-C once. */
  interrupt(): void;
  /** Waits until the command ends. */
  end(): Promise<{ readonly code: number | null; readonly output: string }>;
}

/** Starts `pulumi up` without waiting for its end. */
export function startUp(project: TestProject): RunningUp {
  const child = spawn("pulumi", ["--non-interactive", "--color", "never", "up", "--yes", "--skip-preview"], {
    cwd: project.folder,
    env: { ...process.env, ...project.environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  const ended = once(child, "close");
  return {
    interrupt: () => void child.kill("SIGINT"),
    async end() {
      await ended;
      return { code: child.exitCode, output };
    },
  };
}
