/**
 * Returns the parsed address, or undefined if the text is not an absolute URL. It does not use `URL.canParse`, which in
 * Node.js 20 and 22 refuses addresses such as https://münchen.example after about two thousand calls.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
