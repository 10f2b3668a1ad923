import { type Sandbox, startSandbox } from "cloudservices-sandbox";
import type { ApiMode } from "../evidence/kinds.js";
import type { Clock } from "../time.js";
import { openProxy } from "./proxy.js";
import type { Service } from "./service.js";

const idle: Record<ApiMode, Sandbox[]> = { conventional: [], documented: [] };

/** Reuses a sandbox, because a reset is faster than a start. */
async function takeSandbox(mode: ApiMode): Promise<Sandbox> {
  return idle[mode].pop() ?? startSandbox({ profile: mode });
}

async function giveBack(mode: ApiMode, sandbox: Sandbox): Promise<void> {
  await sandbox.reset();
  idle[mode].push(sandbox);
}

/** Stops the sandboxes that wait for the next run. */
export async function closeSandboxes(): Promise<void> {
  for (const sandbox of [...idle.conventional.splice(0), ...idle.documented.splice(0)]) await sandbox.close();
}

export async function openService(mode: ApiMode, time: Clock): Promise<Service> {
  const sandbox = await takeSandbox(mode);
  time.control(sandbox.clock);
  return openProxy(sandbox, time, () => giveBack(mode, sandbox));
}
