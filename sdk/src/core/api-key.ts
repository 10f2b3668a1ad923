import { ConfigurationError } from "./errors.js";

/** The key itself, or where to get the current one: it is asked for each attempt, so that a key can rotate. */
export type ApiKey = string | (() => string | Promise<string>);

/** Why something cannot be an API key: `padded` begins or ends with white space, `unprintable` cannot stand in a header. */
export type ApiKeyProblem = "missing" | "padded" | "unprintable";

/**
 * What the client would refuse an API key for, for programs that have settings of their own and words of their own
 * for what is wrong with them. Undefined: it can be used.
 *
 * @example
 * ```ts
 * if (apiKeyProblem(process.env.SERVICE_KEY) === "padded") throw new Error("SERVICE_KEY has a line break at its end");
 * ```
 */
export function apiKeyProblem(key: string | undefined): ApiKeyProblem | undefined {
  if (key === undefined || key === "") return "missing";
  if (/^\s|\s$/.test(key)) return "padded";
  return /[^\x21-\x7e]/.test(key) ? "unprintable" : undefined;
}

const problems: Readonly<Record<ApiKeyProblem, { what: string; advice: string }>> = {
  missing: { what: "is missing", advice: "Set `apiKey` or CLOUDSERVICES_API_KEY." },
  padded: { what: "begins or ends with white space", advice: "Trim it; a trailing newline?" },
  unprintable: { what: "has a character that no HTTP header can hold", advice: "Copy the key again." },
};

/** Refuses a key that cannot stand in a header, without quoting it. */
export function checkedKey(key: unknown): string {
  const text = typeof key === "string" ? key : "";
  const problem = apiKeyProblem(text);
  if (problem === undefined) return text;
  const { what, advice } = problems[problem];
  throw new ConfigurationError({ message: `The API key ${what}.`, advice, field: "apiKey" });
}

/** Asks for the current key. What the caller's function throws is kept as the cause. */
export async function currentKey(key: ApiKey): Promise<string> {
  if (typeof key === "string") return key;
  let found: string;
  try {
    found = await key();
  } catch (cause) {
    throw new ConfigurationError({
      message: "The `apiKey` function failed; nothing was sent. Its error is the cause.",
      field: "apiKey",
      cause,
    });
  }
  return checkedKey(found);
}
