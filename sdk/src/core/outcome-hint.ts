import type { Outcome } from "./base-error.js";

/** The words for what is known of a request without an answer, and what to do about it. */
export function outcomeHint(method: string | undefined, outcome: Outcome): string {
  if (outcome === "notSent") return "nothing was sent";
  if (outcome === "rejected") return "the service did not do it";
  return method === "GET" ? "it can be tried again" : "it may have taken effect: look before you repeat it";
}
