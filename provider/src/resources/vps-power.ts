import { type CloudServices, ConflictError, type ListedVpsInstance } from "cloudservices-sdk";
import type { Changes, Planned, UpdateContext } from "../kernel/definition/kind.js";
import type { Diagnostic } from "../kernel/diagnostics/diagnostic.js";
import { isAmbiguous } from "../kernel/diagnostics/errors.js";

/*
 * The power of a server: its state, and the actions that switch it.
 */

type PowerState = "running" | "stopped";

/** The inputs of a server that concern its power. */
export interface PowerInputs {
  plan: string;
  powerState?: PowerState | undefined;
  allowStopping?: boolean | undefined;
}

/** Returns whether a server is running or stopped. A pending server is neither. */
export function powerState({ status }: ListedVpsInstance): PowerState | undefined {
  if (status === "running") return "running";
  return status === "stopped" ? "stopped" : undefined;
}

export const switchPower = (api: CloudServices, id: string, wanted: PowerState) =>
  wanted === "stopped" ? api.vps.stop(id) : api.vps.start(id);

/** Sends an action once. Without a response it counts as done, because nothing shows whether it ran. */
export async function switchOnce(
  api: CloudServices,
  id: string,
  { powerState: wanted }: Changes<PowerInputs>,
  { markApplied, addNote }: UpdateContext<PowerInputs, ListedVpsInstance>,
): Promise<undefined> {
  if (!wanted) return;
  try {
    await switchPower(api, id, wanted);
  } catch (error) {
    if (isAmbiguous(error)) {
      markApplied("powerState");
      addNote(
        `The action is not retried: check the server at the service and, if it is not ${wanted}, switch it there.`,
      );
    } else if (error instanceof ConflictError) {
      addNote(
        "With cloudservices:api documented, no request shows the server's state: check it at the service. If it is " +
          `busy, run \`pulumi up\` again later. If it is already ${wanted}, switch it back there and run \`pulumi up\` again.`,
      );
    }
    throw error;
  }
}

/** Rejects a server that is stopped at creation where no request shows when it may be stopped. */
export function powerRules(planned: Planned<PowerInputs>): Diagnostic[] {
  if (!planned.creates || planned.canWait || planned.after("powerState") !== "stopped") return [];
  return [
    {
      code: "INPUT_INVALID",
      summary: "powerState cannot be `stopped` at creation",
      cause: "the specification shows no way to know when a new server can be stopped.",
      fixes: [{ line: '`powerState: "running"`, and `stopped` in a later pulumi up' }],
    },
  ];
}
