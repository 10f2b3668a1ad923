import type { Clock } from "./clock.js";
import { throwIfEnded, watchDeadline } from "./deadline.js";
import type { RawResponse, Step } from "./request.js";
import type { Transport } from "./transport.js";

/**
 * Sends one attempt. Aborts it at its timeout, at the deadline of the call, or when the caller aborts.
 *
 * @param open - Returns the transport, with a promise where it has to be loaded.
 */
export function withTimeout(open: () => Transport | Promise<Transport>, clock: Clock): Step<RawResponse> {
  return async (request) => {
    const opened = open();
    const send = typeof opened === "function" ? opened : await opened;
    throwIfEnded(request, clock);
    const inFlight = send(request);
    const end = watchDeadline(request, clock, true, (makeError) => inFlight.abandon(makeError));
    try {
      return await inFlight.response;
    } finally {
      end();
    }
  };
}
