import {
  type CloudServices,
  CloudServicesError,
  ConflictError,
  type VpsInstance as RemoteInstance,
} from "cloudservices-sdk";
import type { Changes, CheckFailure, Planned, UpdateContext } from "../kernel/definition/kind.js";

/*
 * What a server's power has to do with its plan: a resize takes it away and gives it back.
 */

/** The inputs of a server that concern its power. */
interface Powered {
  plan: string;
  powerState?: "running" | "stopped" | undefined;
  allowStopping?: boolean | undefined;
}

/** A pending server is on its way to a power state; only a ready one tells which. */
export function powerState(remote: RemoteInstance): "running" | "stopped" | undefined {
  return remote.status === "running" || remote.status === "stopped" ? remote.status : undefined;
}

/**
 * Does what can only be done to a server that is off. One that was running, or that an earlier update was to start
 * again, runs afterwards as the program says or, where it does not, as it did: `converge` starts it, and after a
 * failure, it is started here.
 */
export async function whileOff<T>(
  api: CloudServices,
  server: RemoteInstance,
  context: UpdateContext<Powered, RemoteInstance>,
  change: () => Promise<T>,
): Promise<T> {
  const runs = powerState(server) === "running";
  // The plan went by the state, in which it was off.
  if (runs && !context.after.allowStopping && context.after.powerState !== "stopped")
    throw new Error(
      `It runs, other than the state says, and a plan is changed with it powered off. ${ALLOW}.`,
    );
  const shallRun = context.after.powerState !== "stopped" && (runs || context.needsRestore("powerState"));
  if (shallRun) {
    context.restoreLater({ powerState: "running" });
    context.addNote("It was powered off for that and may be off now; the next `pulumi up` starts it.");
  }
  try {
    if (runs) {
      await api.vps.stop(server.id);
      await context.waitUntilReady("stopped");
    }
    return await change();
  } catch (error) {
    if (shallRun) await startAgain(api, server, context, error);
    throw error;
  }
}

/** Looks first: without an answer, what was asked for may still be under way. */
async function startAgain(
  api: CloudServices,
  { id }: RemoteInstance,
  { waitUntilReady: ready, restoreLater: owes, addNote: tells }: UpdateContext<Powered, RemoteInstance>,
  error: unknown,
): Promise<void> {
  try {
    if (powerState(await ready()) === "stopped") {
      await api.vps.start(id);
      tells("It was powered off for that, and has been started again.");
    } else if (!isUnsure(error)) {
      owes({});
      tells("");
    }
  } catch {
    // What is told is why the change has failed, and already that the server may be off.
  }
}

/** Sends an action once. Without a response it counts as done, because nothing shows whether it ran. */
export async function switchOnce(
  api: CloudServices,
  id: string,
  { powerState }: Changes<Powered>,
  { markApplied: applied, addNote: tells }: UpdateContext<Powered, RemoteInstance>,
): Promise<undefined> {
  if (!powerState) return;
  try {
    await (powerState === "stopped" ? api.vps.stop(id) : api.vps.start(id));
  } catch (error) {
    if (isUnsure(error)) {
      applied("powerState");
      tells(`No run sends it again: look at the service and, if it is not ${powerState}, do it there.`);
    } else if (error instanceof ConflictError) {
      const blind = "With cloudservices:api documented, nothing tells how it is: look at the service";
      const way = `If it is ${powerState} already, switch it back there and run \`pulumi up\` again`;
      tells(`${blind}. If it is busy, run \`pulumi up\` again when it is not. ${way}.`);
    }
    throw error;
  }
}

const isUnsure = (error: unknown): boolean =>
  error instanceof CloudServicesError && error.outcome === "ambiguous";

const ALLOW = "Set allowStopping to true to let this update stop it and start it again";

export function powerRules(planned: Planned<Powered>): CheckFailure[] {
  const refused = (property: keyof Powered, reason: string) => ({ property, reason });
  if (planned.creates) {
    if (planned.canWait || planned.after("powerState") !== "stopped") return [];
    const unknowable =
      'the specification shows no way to know when a new server may be stopped. Create it with `powerState: "running"`, ' +
      "and stop it with a later `pulumi up`";
    return [refused("powerState", `cannot be stopped at creation: ${unknowable}`)];
  }
  const plan = planned.after("plan");
  const before = planned.before("plan");
  const resizes = plan !== undefined && before !== undefined && plan !== before;
  if (!resizes || planned.after("allowStopping") === true || planned.before("powerState") === "stopped")
    return [];
  return [refused("plan", `is changed with the server powered off. ${ALLOW}`)];
}
