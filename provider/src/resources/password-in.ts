import { parsedUrl } from "../kernel/definition/parsed-url.js";

/** Returns the password in a connection URI. */
export function passwordIn(uri: string | undefined): string | undefined {
  const password = parsedUrl(uri)?.password;
  return password === undefined || password === "" ? undefined : decodeURIComponent(password);
}
