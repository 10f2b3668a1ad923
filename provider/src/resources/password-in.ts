/** Returns the password in a connection URI. */
export function passwordIn(uri: string | undefined): string | undefined {
  if (uri === undefined || !URL.canParse(uri)) return undefined;
  const { password } = new URL(uri);
  return password === "" ? undefined : decodeURIComponent(password);
}
