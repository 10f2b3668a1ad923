/** The longest `Retry-After` that the client obeys, milliseconds. */
export const LONGEST_RETRY_AFTER = 60_000;

/** Returns the milliseconds of a `Retry-After` in seconds or as a date, capped. Undefined when it is not valid. */
export function retryAfter(header: string | string[] | undefined, wall: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === "") return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : httpDate(text) - wall;
  if (Number.isNaN(milliseconds)) return undefined;
  return Math.min(Math.max(0, milliseconds), LONGEST_RETRY_AFTER);
}

/** Accepts only the form of HTTP: `Date.parse` alone would read "-5" as a year. */
function httpDate(text: string): number {
  return /^[A-Za-z]+, /.test(text) ? Date.parse(text) : Number.NaN;
}
