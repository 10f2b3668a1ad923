import type { Api } from "./api.js";
import type { Polled, PollTarget } from "./poll-target.js";
import { Poller } from "./poller.js";

/** The pauses and the grace of resources that the service creates, changes or deletes in the background. */
export const BACKGROUND_WORK = {
  pauses: { share: 1 / 30, longest: 10_000 },
  newResourceGrace: 15_000,
} as const;

/**
 * Returns the poller of one kind in one client. All views of a client share it, and so their requests, which the limits
 * of no view bound.
 */
export function sharedPoller<T extends Polled>(
  pollers: WeakMap<Api, Poller<T>>,
  { root }: Api,
  target: (root: Api) => PollTarget<T>,
): Poller<T> {
  const poller = pollers.get(root) ?? new Poller(target(root), root);
  pollers.set(root, poller);
  return poller;
}
