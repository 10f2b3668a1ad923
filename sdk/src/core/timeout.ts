import type { Dispatcher } from "undici";
import type { Clock } from "./clock.js";
import { throwIfEnded, watchDeadline } from "./deadline.js";
import type { RawResponse, Step } from "./request.js";
import { dispatch } from "./transport.js";

/** Sends one attempt. Aborts it at its timeout, at the deadline of the call, or when the caller aborts. */
export function withTimeout(
  dispatcher: Dispatcher | (() => Promise<Dispatcher>),
  clock: Clock,
): Step<RawResponse> {
  return async (request) => {
    const opened = typeof dispatcher === "function" ? await dispatcher() : dispatcher;
    throwIfEnded(request, clock);
    const inFlight = dispatch(opened, request);
    const end = watchDeadline(request, clock, true, (makeError) => inFlight.abandon(makeError));
    try {
      return await inFlight.response;
    } finally {
      end();
    }
  };
}
