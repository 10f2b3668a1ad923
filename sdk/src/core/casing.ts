/** `short_url` → `shortUrl`. Leading, trailing and doubled underscores stay. */
export function camelCased(name: string): string {
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `shortUrl` → `short_url`. */
export function snakeCased(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
