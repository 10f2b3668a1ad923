import { spawn } from "node:child_process";

export interface Guard {
  /** Sets the process to stop, if any. */
  watch(pid: number | undefined): void;
  dismiss(): void;
}

/**
 * Starts a process that stops the server if the sandbox is killed. It reads process ids from a pipe that ends with
 * the sandbox, stops the last process, and deletes the temporary folder. An orderly stop can take too long on a busy
 * machine, so after ten seconds it stops the server at once.
 */
export function startGuard(runFolder: string): Guard {
  const script = `while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
  kill -INT "$pid" 2>/dev/null
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2>/dev/null && sleep 1; done
  kill -QUIT "$pid" 2>/dev/null
fi
rm -rf "$0"`;
  const guard = spawn("/bin/sh", ["-c", script, runFolder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return {
    watch: (pid) => void guard.stdin.write(`${pid ?? ""}\n`),
    dismiss: () => void guard.kill("SIGKILL"),
  };
}
