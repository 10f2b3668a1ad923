import type { Fault, SeenRequest } from "./fault.js";
import { instead, refusal, replacing } from "./strike.js";

export function keys(seen: SeenRequest): Fault[] {
  const isFirst = seen.index === 0;
  const pass = replacing((_hop, real) => real);
  return [
    { name: "key-revoked", class: "key", span: "rest", when: "before", strike: instead(() => refusal(401)) },
    // The whole command uses another account's key. The run sets the right one afterwards.
    ...(isFirst
      ? [{ name: "key-other", class: "key", span: "always", when: "instead", strike: pass } as const]
      : []),
    { name: "key-rotated", class: "key", span: "rest", when: "before", strike: instead(() => refusal(401)) },
  ];
}
