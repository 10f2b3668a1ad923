/** The range of a `Date`, seconds before and after 1970. */
const LATEST = 8.64e12;

/** Returns a Unix time in seconds that a `Date` can hold, or undefined when the value is none. */
export const unixTime = (value: unknown): number | undefined =>
  typeof value === "number" && Math.abs(value) <= LATEST ? value : undefined;
