import { isIdentifier } from "./identifier.js";

/** How much of a body is searched, characters. A response shows its id early. */
const SEARCHED = 64 * 1024;

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|"|[^\s{}[\],:"]+/gs;

/**
 * The id in an envelope that was cut, or is no complete JSON: a resource whose id the service has shown is not lost.
 * Looks for the members `id` and `inbox_id` of `data`, and does not follow the nesting down.
 */
export function salvageId(body: string): string | undefined {
  /** The name of the member that each open object or array is at. */
  const path: (string | undefined)[] = [];
  let text: string | undefined;
  for (const [token] of body.slice(0, SEARCHED).matchAll(TOKENS)) {
    // A text without an end.
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
