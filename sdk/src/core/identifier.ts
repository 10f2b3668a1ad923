/**
 * What can lead to another path: dots alone, control characters, lone surrogates, and slashes. Encoding a slash is not
 * enough, because a proxy may decode it: deleting the database `db_1%2Fbackup-schedule` would delete a schedule.
 */
const MISLEADING = /^\.{1,2}$|[/\\]|\p{Cc}|\p{Cs}/u;

/** Returns whether an id is safe as one segment of a path. */
export const isIdentifier = (id: unknown): id is string =>
  typeof id === "string" && id !== "" && !MISLEADING.test(id);
