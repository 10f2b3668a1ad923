import type { Api } from "./api.js";
import { type Polled, Poller } from "./poller.js";
import type { PollTarget } from "./wait-options.js";

/** The waits of one kind in one client, whichever view of it asks: they share their requests, which no view bounds. */
export function sharedPoller<T extends Polled>(
  known: WeakMap<Api, Poller<T>>,
  { root }: Api,
  kind: (root: Api) => PollTarget<T>,
): Poller<T> {
  const poller = known.get(root) ?? new Poller(kind(root), root);
  known.set(root, poller);
  return poller;
}
