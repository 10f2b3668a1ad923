import type { Dispatcher } from "undici";
import { refuseEnded, watchBounds } from "./bounds.js";
import type { Clock } from "./clock.js";
import type { RawAnswer, Step } from "./request.js";
import { takeOff } from "./transport.js";

/** Sends one attempt, and gives it up at its timeout, at the deadline of the call, or when the caller aborts. */
export function sentInTime(dispatcher: () => Dispatcher, clock: Clock): Step<RawAnswer> {
  return async (request) => {
    refuseEnded(request, clock);
    const flight = takeOff(dispatcher(), request);
    const end = watchBounds(request, clock, true, (verdict) => flight.abandon(verdict));
    try {
      return await flight.answer;
    } finally {
      end();
    }
  };
}
