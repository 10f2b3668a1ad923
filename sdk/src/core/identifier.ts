/**
 * What can lead to another path: dots alone; and slashes, although they are encoded, because a proxy may decode them
 * (deleting the database `db_1%2Fbackup-schedule` then deletes a schedule). Also control characters and halves of
 * characters.
 */
const MISLEADING = /^\.{1,2}$|[/\\]|\p{Cc}|\p{Cs}/u;

/** Whether an id can stand in a path and mean nothing else there. */
export const isIdentifier = (id: unknown): id is string =>
  typeof id === "string" && id !== "" && !MISLEADING.test(id);
