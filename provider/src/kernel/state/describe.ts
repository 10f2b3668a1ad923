import { logicalName } from "../definition/auto-name.js";

/** Returns what messages call a resource: its kind, its name and, if known, its id. */
export function describeResource(kind: { readonly name: string }, urn: string, id?: string): string {
  const name = urn && logicalName(urn);
  return [kind.name, name && JSON.stringify(name), id && `(${id})`].filter(Boolean).join(" ");
}

/** Returns a kind with its article: a Link, an Inbox. */
export const withArticle = (kind: string): string => `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}`;
