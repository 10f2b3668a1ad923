/**
 * Returns the parsed address, or undefined if the value is not the text of an absolute URL. It does not use
 * `URL.canParse`, which in Node.js 20 and 22 refuses addresses such as https://münchen.example after about two thousand
 * calls.
 */
export function parsedUrl(value: unknown): URL | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}
