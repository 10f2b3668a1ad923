import { containsUnknown } from "../../kernel/definition/properties.js";

/** Longer values make a table unreadable. */
const LONGEST = 80;

/** Control characters, and those that change the direction of a text or are invisible. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Returns a text as a Markdown code span. In it, HTML, links and mentions have no effect,
 * whatever a program calls its resources.
 */
export function code(text: string, longest = LONGEST): string {
  const clean = text.replace(UNSEEN, " ");
  const short = clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
  const run = Math.max(0, ...[...short.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(run + 1);
  const space = /^`|`$|^ .* $/.test(short) ? " " : "";
  return `${fence}${space}${short || " "}${space}${fence}`;
}

/** Returns a row of a table, which is split at each bar, also in a code span. */
export const tableRow = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** Returns a sentence of a diagnostic as a code span. */
export const sentence = (text: string): string => code(withoutCredentials(text), 400);

/** Returns a value of an input for a reader. */
export function valueText(value: unknown): string {
  if (containsUnknown(value)) return "*known after applying*";
  if (value === undefined || value === null) return "*none*";
  return code(withoutCredentials(JSON.stringify(value)));
}

/** The part of an address behind its scheme. */
const ADDRESS = /:\/\/(?:(?!:\/\/)[^\s"<>?#])+(?:[?#][^\s"<>]*)?/g;

/** An address may contain a password or a token although it is not marked as a secret. */
const withoutCredentials = (text: string): string =>
  text.replace(ADDRESS, (address) => {
    const [start = ""] = /^[^?#]*/.exec(address) ?? [];
    const query = address.slice(start.length).replace(/([?#&])([^=?#&]*=)?[^?#&]+/g, "$1$2[secret]");
    return start.replace(/^:\/\/[^/]*@/, "://[secret]@") + query;
  });
