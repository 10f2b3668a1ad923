import type { CloudServices, ListedVpsInstance } from "cloudservices-sdk";
import { sameWord } from "../kernel/definition/fields.js";
import type { Planned, UpdateContext } from "../kernel/definition/kind.js";
import { cannotShrink } from "../kernel/definition/rules.js";
import type { Diagnostic, Fix } from "../kernel/diagnostics/diagnostic.js";
import { isAmbiguous, ResourceError } from "../kernel/diagnostics/errors.js";
import { vpsPlan } from "./vps-plan.js";
import { type PowerInputs, powerState } from "./vps-power.js";

/*
 * A change of a server's plan. The service makes it only while the server is off.
 */

type Context = UpdateContext<PowerInputs, ListedVpsInstance>;

const ALLOW_STOPPING: Fix = {
  when: "to let this update stop it and start it again",
  line: "allowStopping: true",
};

/** Returns whether a server already has a plan, perhaps from an earlier request whose response was lost. */
export const hasPlan = (server: ListedVpsInstance, plan: string): boolean =>
  server.plan !== undefined && sameWord(plan, server.plan);

/**
 * Makes a change while the server is off. Afterwards `converge` starts a server that was running before, or that an
 * earlier update was to start again, unless the program stops it. If the change fails, the server is started here.
 */
export async function whileOff<T>(
  api: CloudServices,
  server: ListedVpsInstance,
  context: Context,
  change: () => Promise<T>,
): Promise<T> {
  const { allowStopping, powerState: wanted } = context.after;
  const isRunning = powerState(server) === "running";
  // The preview used the state, in which the server was stopped.
  if (isRunning && !allowStopping && wanted !== "stopped")
    throw new ResourceError({
      code: "CHANGE_NOT_ALLOWED",
      summary: "it is running, although it is stopped in the state, and a plan change powers it off.",
      fixes: [ALLOW_STOPPING],
    });
  const restores = wanted !== "stopped" && (isRunning || context.needsRestore("powerState"));
  if (restores) {
    context.restoreLater({ powerState: "running" });
    context.addNote(
      "It was powered off for the change and may still be off; the next `pulumi up` starts it.",
    );
  }
  try {
    if (isRunning) {
      await api.vps.stop(server.id);
      await context.waitUntilReady("stopped");
    }
    return await change();
  } catch (error) {
    if (restores) await startAgain(api, server.id, context, error);
    throw error;
  }
}

/** Starts a server after a failed change. Checks its state first: without a response, the change may still be running. */
async function startAgain(api: CloudServices, id: string, context: Context, error: unknown): Promise<void> {
  try {
    if (powerState(await context.waitUntilReady()) === "stopped") {
      await api.vps.start(id);
      context.addNote("It was powered off for the change and has been started again.");
    } else if (!isAmbiguous(error)) {
      context.restoreLater({});
      context.addNote("");
    }
  } catch {
    // The error of the change is more useful, and its note already says that the server may be off.
  }
}

export function resizeRules(planned: Planned<PowerInputs>): Diagnostic[] {
  return [
    ...stopRule(planned),
    ...cannotShrink(planned, "plan", (plan) => vpsPlan(plan)?.diskGb, { of: "disk", resource: "server" }),
  ];
}

/** Rejects a change that would stop the server without permission. */
function stopRule(planned: Planned<PowerInputs>): Diagnostic[] {
  const [before, after] = [planned.before("plan"), planned.after("plan")];
  if (planned.creates || before === undefined || after === undefined || after === before) return [];
  if (planned.after("allowStopping") === true || planned.before("powerState") === "stopped") return [];
  const summary = "plan can change only while the server is powered off";
  return [{ code: "CHANGE_NOT_ALLOWED", summary, fixes: [ALLOW_STOPPING] }];
}
