import { crc32 } from "node:zlib";

/** A line that is whole carries the checksum of its own text, so that half of one is recognised. */
export function sealed(text: string): string {
  return `${checksum(text)} ${text}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

export class CorruptFileError extends Error {}

interface Lines {
  readonly texts: string[];
  /** Where the whole lines end; anything after it is a write that was never acknowledged. */
  readonly wholeBytes: number;
}

/**
 * The whole lines of a file. Only the last line can be torn, since a line is written after the one before it has
 * reached the disk; a bad line before a good one is damage, which is never skipped.
 */
export function wholeLines(file: Buffer, name: string): Lines {
  const texts: string[] = [];
  let at = 0;
  let wholeBytes = 0;
  let badAt: number | undefined;
  while (at < file.length) {
    const newline = file.indexOf(0x0a, at);
    const end = newline === -1 ? file.length : newline;
    const text = unsealed(file.toString("utf8", at, end));
    if (text === undefined || newline === -1) badAt ??= at;
    else if (badAt !== undefined) {
      throw new CorruptFileError(
        `${name} is damaged at byte ${badAt}; restore it from a copy, or start without it.`,
      );
    } else {
      texts.push(text);
      wholeBytes = newline + 1;
    }
    at = end + 1;
  }
  return { texts, wholeBytes };
}

function unsealed(line: string): string | undefined {
  const text = line.slice(9);
  return line[8] === " " && line.slice(0, 8) === checksum(text) ? text : undefined;
}
