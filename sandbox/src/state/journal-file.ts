import { crc32 } from "node:zlib";

/** Prepends a checksum, which detects incomplete lines. */
export function sealLine(text: string): string {
  return `${checksum(text)} ${text}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

export class CorruptFileError extends Error {}

export interface WholeLine {
  readonly text: string;
  /** Position after the line. */
  readonly end: number;
}

/**
 * Yields the complete lines of a file, read in pieces because it may exceed any buffer. Each line is written after
 * earlier ones are synced, so only the last lines can be torn. A bad line before a good one means damage and throws.
 */
export async function* wholeLines(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  name: string,
): AsyncGenerator<WholeLine> {
  let badAt: number | undefined;
  for await (const { bytes, start } of linesOf(pieces)) {
    const text = unsealLine(bytes);
    if (text === undefined) badAt ??= start;
    else if (badAt !== undefined) {
      throw new CorruptFileError(
        `${name} is damaged at byte ${badAt}; restore it from a copy, or start without it.`,
      );
    } else yield { text, end: start + bytes.length + 1 };
  }
}

/**
 * Yields the text before each newline, ignoring any after the last one.
 * @throws CorruptFileError where a line is longer than `limit` bytes.
 */
export async function* linesOf(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<{ bytes: Buffer; start: number }> {
  let started: Buffer[] = [];
  let length = 0;
  let start = 0;
  for await (const piece of pieces) {
    let at = 0;
    length = started.length === 0 ? piece.length : length + piece.length;
    if (length > limit + piece.length) throw new CorruptFileError(`A line has more than ${limit} bytes.`);
    for (let newline = piece.indexOf(0x0a); newline !== -1; newline = piece.indexOf(0x0a, at)) {
      const bytes = Buffer.concat([...started, piece.subarray(at, newline)]);
      yield { bytes, start };
      started = [];
      start += bytes.length + 1;
      at = newline + 1;
    }
    if (at < piece.length) started.push(piece.subarray(at));
  }
}

function unsealLine(bytes: Buffer): string | undefined {
  const line = bytes.toString("utf8");
  const text = line.slice(9);
  return line[8] === " " && line.slice(0, 8) === checksum(text) ? text : undefined;
}
