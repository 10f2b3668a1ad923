import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns the processes of a stack that run the provider: the host of dynamic providers, or the native plugin. They are identified by the folder in their environment, which
 * no other process has.
 */
export function providerProcesses(folder: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isProviderOf(folder, pid));
}

function isProviderOf(folder: string, pid: number): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return (
      environment.includes(`PULUMI_HOME=${folder}/`) &&
      /node$/.test(command[0] ?? "") &&
      command.some((part) => /dynamic-provider|pulumi-resource-cloudservices/.test(part))
    );
  } catch {
    return false; // It has ended, or is another user's.
  }
}

/** Kills the remaining provider processes. */
export function killProviders(folder: string): void {
  for (const pid of providerProcesses(folder)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

/** Resolves when a condition holds. */
export async function until(condition: () => boolean, what: string, patience = 60_000): Promise<void> {
  const end = Date.now() + patience;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`${what} did not happen within ${patience} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
