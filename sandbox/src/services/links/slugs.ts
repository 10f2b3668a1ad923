import { randomText } from "../../core/ids.js";
import type { Call } from "../../core/operation.js";
import { linkAddress } from "../../state/store.js";

/** Paths of the sandbox itself on the default short domain. */
const reserved = new Set(["v1", "_sandbox", "health"]);

export function freeSlug(call: Call<string, unknown, unknown>, domain: string): string {
  for (;;) {
    const slug = randomText(call.context.random, 6);
    if (!isTaken(call, domain, slug)) return slug;
  }
}

export function isTaken(call: Call<string, unknown, unknown>, domain: string, slug: string): boolean {
  const address = linkAddress(call.tenant, domain, slug);
  return reserved.has(slug) || call.context.store.tables.links.some("address", address) !== undefined;
}
