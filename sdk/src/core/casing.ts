/** `short_url` → `shortUrl`. A leading or doubled underscore, and what no letter or digit follows, stay as they are. */
export function camelCased(name: string): string {
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `shortUrl` → `short_url`. */
export function snakeCased(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
