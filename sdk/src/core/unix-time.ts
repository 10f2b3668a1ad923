/** A `Date` holds this many seconds before and after 1970. */
const LATEST = 8.64e12;

/** A Unix time in seconds as the service gives it, or undefined for what is none: `new Date` can hold the result. */
export const unixTime = (value: unknown): number | undefined =>
  typeof value === "number" && Math.abs(value) <= LATEST ? value : undefined;
