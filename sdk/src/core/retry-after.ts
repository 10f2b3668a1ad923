/** The longest that an answer may make a client wait, milliseconds. */
export const LONGEST_RETRY_AFTER = 60_000;

/** `Retry-After` in seconds or as a date, as milliseconds from now; nonsense is ignored, absurd values are capped. */
export function retryAfter(header: string | string[] | undefined, wall: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === "") return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : httpDate(text) - wall;
  if (Number.isNaN(milliseconds)) return undefined;
  return Math.min(Math.max(0, milliseconds), LONGEST_RETRY_AFTER);
}

/** Only the form that HTTP prescribes: `Date.parse` alone would take "-5" for a year. */
function httpDate(text: string): number {
  return /^[A-Za-z]+, /.test(text) ? Date.parse(text) : Number.NaN;
}
