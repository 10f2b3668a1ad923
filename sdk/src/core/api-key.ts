import { ConfigurationError } from "./errors.js";

/** The key, or a function that returns the current one for each attempt, so that keys can rotate. */
export type ApiKey = string | (() => string | Promise<string>);

/** Why an API key is not valid: `padded` begins or ends with white space, `unprintable` does not fit in a header. */
export type ApiKeyProblem = "missing" | "padded" | "unprintable";

/**
 * Returns why the client would reject an API key, or undefined for a valid key. For programs with their own settings
 * and messages.
 *
 * @example
 * ```ts
 * if (apiKeyProblem(process.env.SERVICE_KEY) === "padded") throw new Error("SERVICE_KEY ends with a newline");
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

/** Returns the key if it fits in a header. Errors never quote it. */
export function checkedKey(key: unknown): string {
  const text = typeof key === "string" ? key : "";
  const problem = apiKeyProblem(text);
  if (problem === undefined) return text;
  const { what, advice } = problems[problem];
  throw new ConfigurationError({ message: `The API key ${what}.`, advice, field: "apiKey" });
}

/** Returns the current key. An error of the caller's function becomes the cause. */
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
