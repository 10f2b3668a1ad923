import type { Outcome } from "./base-error.js";

/** Returns the end of a message: what is known about a request without a usable response. */
export function outcomeHint(method: string, outcome: Outcome): string {
  if (outcome === "notSent") return "; nothing was sent";
  return mayHaveSucceeded(method, outcome) ? "; it may have succeeded" : "";
}

/** Returns what to do about such a request. Undefined: nothing in particular. */
export function outcomeAdvice(method: string, outcome: Outcome): string | undefined {
  return mayHaveSucceeded(method, outcome) ? "Check before retrying." : undefined;
}

const mayHaveSucceeded = (method: string, outcome: Outcome): boolean =>
  outcome === "ambiguous" && method !== "GET";
