import type { Api } from "./api.js";
import { type Stated, Waits } from "./wait.js";
import type { Waitable } from "./waiting.js";

/** The waits of one kind in one client, whichever view of it asks: they share their requests, which no view bounds. */
export function sharedWaits<T extends Stated>(
  known: WeakMap<Api, Waits<T>>,
  { root }: Api,
  kind: (root: Api) => Waitable<T>,
): Waits<T> {
  const waits = known.get(root) ?? new Waits(kind(root), root);
  known.set(root, waits);
  return waits;
}
