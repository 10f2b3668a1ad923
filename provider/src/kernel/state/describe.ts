import { logicalName } from "../definition/auto-name.js";
import { type Properties, stringOf, URN_KEY } from "../definition/properties.js";

/** Returns what messages call a resource: its kind, its name and, if known, its id. */
export function describeResource(kind: { readonly name: string }, values: Properties, id?: string): string {
  const urn = stringOf(values, URN_KEY);
  const name = urn && logicalName(urn);
  return [kind.name, name && JSON.stringify(name), id && `(${id})`].filter(Boolean).join(" ");
}

/** Returns a kind with its article: a Link, an Inbox. */
export const withArticle = (kind: string): string => `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}`;
