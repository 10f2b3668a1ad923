import { type ApiKey, currentKey } from "./api-key.js";
import type { Clock } from "./clock.js";
import { beforeDeadline } from "./deadline.js";
import { AuthenticationError } from "./errors.js";
import type { OutgoingRequest, Step } from "./request.js";

/**
 * Adds `Authorization: Bearer`. Specification: "Authentication". After a 401 it calls the key function again and
 * retries once with a new key, so that no call fails when a key rotates.
 */
export function withAuth<A>(next: Step<A>, key: ApiKey, clock: Clock): Step<A> {
  if (typeof key === "string") return (request) => next(withKey(request, key));
  return async (request) => {
    const first = await beforeDeadline(currentKey(key), request, clock);
    try {
      return await next(withKey(request, first));
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      const second = await beforeDeadline(currentKey(key), request, clock);
      if (second === first) throw error;
      return await next(withKey(request, second));
    }
  };
}

function withKey(request: OutgoingRequest, key: string): OutgoingRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } };
}
