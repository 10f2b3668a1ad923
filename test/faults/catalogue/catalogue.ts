import type { ApiMode } from "../evidence/kinds.js";
import { connections, outages } from "./connections.js";
import type { Fault, SeenRequest } from "./fault.js";
import { fields, masked, normalised } from "./fields.js";
import { keys } from "./keys.js";
import { kills } from "./kills.js";
import { deletedOutside, rivals } from "./other-owners.js";
import { lists, paging, staleness } from "./reads.js";
import { bodies, statuses } from "./responses.js";
import { clocks, provisioning } from "./time.js";

/** Returns every fault that can strike the request. */
export function faultsFor(seen: SeenRequest, mode: ApiMode): Fault[] {
  // A fault of the whole run needs only one case, at the first request.
  const whole = seen.index === 0 ? [...normalised(), ...clocks(), ...paging()] : [];
  return [
    ...kills(),
    ...statuses(),
    ...connections(),
    ...bodies(),
    ...fields(seen),
    ...masked(seen),
    ...deletedOutside(seen),
    ...rivals(seen),
    ...staleness(seen),
    ...lists(seen),
    // The mode `documented` has no request to poll.
    ...(mode === "conventional" ? provisioning(seen) : []),
    ...keys(seen),
    ...outages(),
    ...whole,
  ];
}
