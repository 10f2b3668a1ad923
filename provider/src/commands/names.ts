import { parsedUrl } from "../kernel/definition/parsed-url.js";

/** The longest name that is made of a label. */
const LONGEST = 60;

/**
 * Returns a name of letters, digits and hyphens for a label. Of an address it is the part before the host. Of a URL it is
 * the host alone, because every other part can contain a token.
 */
function nameFrom(label: string): string {
  const text = label.includes("://") ? hostOf(label) : label.replace(/@.*$/, "");
  return text
    .replace(/[^a-z0-9_.]+/gi, "-")
    .slice(0, LONGEST)
    .replace(/^[-._]+|[-._]+$/g, "");
}

const hostOf = (url: string): string => parsedUrl(url)?.hostname ?? "";

/** The parameters of a query that give access. */
const ACCESS = /(^|[_.-])(token|secret|password|passwd|sig|signature|api[_-]?key)$/i;

/** Returns whether a value is a URL that contains a user, a password or a parameter that gives access. */
export function hasCredentials(value: unknown): boolean {
  const url = parsedUrl(value);
  if (url === undefined) return false;
  const { username, password, searchParams } = url;
  return username !== "" || password !== "" || [...searchParams.keys()].some((name) => ACCESS.test(name));
}

/** Gives out names that are each used once. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  /** @param fallback - The name where the label has no letter or digit. */
  of(label: string, fallback: string): string {
    const base = nameFrom(label) || fallback;
    let name = base;
    for (let count = 2; this.#taken.has(name.toLowerCase()); count += 1) name = `${base}-${count}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}

/** Returns a name as a variable of a program: `order-db` and "Database" make `orderDbDatabase`. */
export function variableFrom(name: string, kind: string): string {
  const words = name.split(/[^a-z0-9]+/i).filter((word) => word !== "");
  const [first = "", ...rest] = words;
  const camel = [
    first.toLowerCase(),
    ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)),
  ].join("");
  const text = camel === "" ? kind.charAt(0).toLowerCase() + kind.slice(1) : camel + kind;
  return /^\d/.test(text) ? `_${text}` : text;
}
