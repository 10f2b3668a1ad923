import type { Fault, Seen } from "./fault.js";
import { after, before, refusal } from "./strike.js";

export function keys(seen: Seen): Fault[] {
  const isFirst = seen.index === 0;
  const pass = after((_hop, real) => real);
  return [
    { name: "key-revoked", class: "key", span: "rest", when: "before", strike: before(() => refusal(401)) },
    // The whole command is run with another account's key, which changes what it asks for; it is put right after that.
    ...(isFirst
      ? [{ name: "key-other", class: "key", span: "always", when: "instead", strike: pass } as const]
      : []),
    { name: "key-rotated", class: "key", span: "rest", when: "before", strike: before(() => refusal(401)) },
  ];
}
