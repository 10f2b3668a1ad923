import { ConfigurationError } from "./errors.js";

/** The key itself, or where to get the current one: it is asked for each attempt, so that a key can rotate. */
export type ApiKey = string | (() => string | Promise<string>);

/** Refuses a key that cannot stand in a header, without quoting it. */
export function checkedKey(key: unknown): string {
  if (typeof key !== "string" || key === "") {
    throw refused("is missing", "Give `apiKey`, or set CLOUDSERVICES_API_KEY.");
  }
  if (/^\s|\s$/.test(key)) {
    throw refused("begins or ends with white space", "It may have been read with its line break: trim it.");
  }
  if (/[^\x21-\x7e]/.test(key)) {
    throw refused("has a character that cannot stand in an HTTP header", "Copy the key again.");
  }
  return key;
}

/** Asks for the current key. What the caller's function throws is kept as the cause. */
export async function currentKey(key: ApiKey): Promise<string> {
  if (typeof key === "string") return key;
  let found: string;
  try {
    found = await key();
  } catch (cause) {
    throw new ConfigurationError({
      message: "The `apiKey` function failed, so nothing was sent. Its error is the cause.",
      field: "apiKey",
      cause,
    });
  }
  return checkedKey(found);
}

function refused(what: string, advice: string): ConfigurationError {
  return new ConfigurationError({ message: `The API key ${what}. ${advice}`, field: "apiKey" });
}
