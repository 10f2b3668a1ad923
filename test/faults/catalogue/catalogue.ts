import type { ApiMode } from "../evidence/kinds.js";
import { connections, outages } from "./connections.js";
import type { Fault, Seen } from "./fault.js";
import { fields, masked, normalised } from "./fields.js";
import { keys } from "./keys.js";
import { kills } from "./kills.js";
import { behindOurBack, rivals } from "./others.js";
import { lists, paging, staleness } from "./reads.js";
import { bodies, statuses } from "./responses.js";
import { clocks, provisioning } from "./time.js";

/** Every fault that can strike the request. */
export function faultsFor(seen: Seen, mode: ApiMode): Fault[] {
  // What holds for the whole run needs no second case for its second request.
  const whole = seen.index === 0 ? [...normalised(), ...clocks(), ...paging()] : [];
  return [
    ...kills(),
    ...statuses(),
    ...connections(),
    ...bodies(),
    ...fields(seen),
    ...masked(seen),
    ...behindOurBack(seen),
    ...rivals(seen),
    ...staleness(seen),
    ...lists(seen),
    // Without a documented request that reads it, nothing can wait for it.
    ...(mode === "conventional" ? provisioning(seen) : []),
    ...keys(seen),
    ...outages(),
    ...whole,
  ];
}
