import { spawn } from "node:child_process";

export interface Guard {
  /** The process that is to be stopped, where there is one. */
  watch(pid: number | undefined): void;
  dismiss(): void;
}

/**
 * A server must not outlive a sandbox that was killed: the guard reads from a pipe that ends with the sandbox, and
 * then stops the process that it was told last and takes the temporary folder away. On a busy machine, an orderly stop
 * can take longer than the next sandbox waits, so after ten seconds the server is stopped at once.
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
