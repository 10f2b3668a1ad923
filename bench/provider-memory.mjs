import { readFileSync } from "node:fs";
import { engineProcesses } from "../tools/process/engine-processes.mjs";

/**
 * Measures the peak memory of the provider process, in MB, until `end` is called.
 *
 * @param {string} home of the engine
 */
export function watchProvider(home) {
  let most = 0;
  const look = () => {
    for (const pid of engineProcesses(home)) {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("dynamic-provider")) continue;
        const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        most = Math.max(most, Number(kilobytes ?? 0) / 1_024);
      } catch {
        // It has exited.
      }
    }
  };
  const timer = setInterval(look, 250);
  return {
    end() {
      clearInterval(timer);
      return most;
    },
  };
}
