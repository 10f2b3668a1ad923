import { factOf } from "../kernel/diagnostics/errors.js";
import { clientOf } from "../kernel/stack/client.js";
import type { Check } from "./checks/check.js";
import { packageChecks } from "./checks/packages.js";
import { proxyChecks, watchProxy } from "./checks/proxy.js";
import { failedService, type Route, routeChecks, routesOf, serviceChecks } from "./checks/service.js";
import { settingsCheck } from "./checks/settings.js";
import { stateChecks } from "./checks/state.js";
import { CommandError } from "./command-error.js";
import { configOf, type Setting, type StackState, stacksOf, stateOf } from "./engine.js";

/** What the command line passes to `doctor`. */
export interface DoctorOptions {
  readonly folder: string;
  readonly stack: string | undefined;
  readonly json: boolean;
}

/** The time of one attempt of a request, in milliseconds. */
const PATIENCE = 15_000;

const CHOOSE = "pulumi stack select <name> in the project's folder, or --cwd <folder> --stack <name>";

const READ = "pulumi stack ls, and PULUMI_BACKEND_URL and PULUMI_CONFIG_PASSPHRASE as for pulumi up";

interface Stack {
  readonly check: Check;
  readonly config: Readonly<Record<string, Setting>>;
  readonly state?: StackState;
}

/** Reads the stack. Without one, only the environment's settings are checked. */
async function stackIn(folder: string, wanted: string | undefined): Promise<Stack> {
  const without = (status: Check["status"], fact: string, fix: string): Stack => ({
    check: { name: "stack", status, fact, fix },
    config: {},
  });
  let stack: string | undefined;
  try {
    stack = wanted ?? (await stacksOf(folder)).current;
  } catch (error) {
    const [fix = CHOOSE] = error instanceof CommandError ? error.fixes : [];
    return without("warning", factOf(error), fix);
  }
  if (stack === undefined) return without("warning", "none is selected", CHOOSE);
  try {
    const [config, state] = [await configOf(folder, stack), await stateOf(folder, stack)];
    return { check: { name: "stack", status: "ok", fact: stack }, config, state };
  } catch (error) {
    // The environment alone may name another service than the stack's settings.
    return without("failed", `${stack}: ${factOf(error)}`, READ);
  }
}

/** Checks everything that a stack needs. Changes nothing. */
export async function doctor(options: DoctorOptions, print: (line: string) => void): Promise<number> {
  const { folder } = options;
  const [packages, stack] = await Promise.all([packageChecks(folder), stackIn(folder, options.stack)]);
  const { settings, checks: ofSettings } = settingsCheck(stack.config, process.env);
  const proxy = watchProxy();
  let service: Check[] = [
    { name: "service", status: "skipped", fact: "not asked: the settings are invalid" },
  ];
  let routes: Route[] = [];
  if (settings) {
    try {
      const api = clientOf({ ...settings, maxRetries: 1, requestTimeout: PATIENCE });
      service = await serviceChecks(api);
      const isThere = service.every(({ status }) => status !== "failed");
      if (isThere && settings.api === "conventional") {
        routes = await routesOf(api);
        service.push(...routeChecks(routes));
      }
      await api.close();
    } catch (error) {
      // The environment can be wrong too, such as a proxy that is not one.
      service = [failedService(error)];
    }
  }
  const checks = [
    ...packages,
    stack.check,
    ...ofSettings,
    ...proxyChecks(process.env, proxy.end()),
    ...service,
    ...(stack.state ? stateChecks(stack.state, settings) : []),
  ];
  const isFit = checks.every(({ status }) => status !== "failed");
  if (options.json) print(JSON.stringify({ ok: isFit, checks, routes }, undefined, 2));
  else for (const check of checks) for (const line of linesOf(check)) print(line);
  return isFit ? 0 : 1;
}

function linesOf({ name, status, fact, fix }: Check): string[] {
  return [`${status.padEnd(8)} ${name.padEnd(14)} ${fact}`, ...(fix ? [`${" ".repeat(24)}fix: ${fix}`] : [])];
}
