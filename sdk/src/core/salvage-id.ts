import { isIdentifier } from "./identifier.js";

/** The characters of a body to search. A response shows its id early. */
const SEARCHED = 64 * 1024;

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|"|[^\s{}[\],:"]+/gs;

/**
 * Returns the id in an envelope that is cut or is not JSON, so that a new resource is not lost. Reads the members `id`
 * and `inbox_id` of `data` only.
 */
export function salvageId(body: string): string | undefined {
  /** The current member of each open object or array. */
  const path: (string | undefined)[] = [];
  let text: string | undefined;
  for (const [token] of body.slice(0, SEARCHED).matchAll(TOKENS)) {
    // A string without an end.
    if (token === '"') return undefined;
    if (token === ":") path[path.length - 1] = text;
    else if (token === "{" || token === "[") path.push(undefined);
    else if (token === "}" || token === "]") path.pop();
    else if (token === ",") path[path.length - 1] = undefined;
    else if (isAtId(path)) return identifierIn(token);
    text = token.startsWith('"') ? textOf(token) : undefined;
  }
  return undefined;
}

function isAtId(path: readonly (string | undefined)[]): boolean {
  return path.length === 2 && path[0] === "data" && (path[1] === "id" || path[1] === "inbox_id");
}

function identifierIn(token: string): string | undefined {
  const text = textOf(token);
  return isIdentifier(text) ? text : undefined;
}

function textOf(token: string): string | undefined {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
