/** Returns the id of an item of a list. An inbox calls it `inboxId`. */
export function idOf(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const id: unknown = "id" in item ? item.id : "inboxId" in item ? item.inboxId : undefined;
  return typeof id === "string" ? id : undefined;
}
