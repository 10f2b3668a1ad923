import { z } from "zod";
import type { ClockSetting } from "./clock.js";
import { CorruptFileError, sealLine } from "./journal-file.js";
import { FORMAT } from "./rows.js";
import type { Change } from "./store.js";

/** The content of a line: changed rows, the clock, or the end of a snapshot. */
const lineSchema = z.strictObject({
  format: z.int().optional(),
  changes: z
    .array(z.strictObject({ table: z.string(), id: z.string(), row: z.unknown().optional() }))
    .optional(),
  clock: z.strictObject({ offset: z.number(), frozenAt: z.number().optional() }).optional(),
  end: z.int().optional(),
  /** The next line belongs to this one: both apply or neither. */
  more: z.literal(true).optional(),
});
export type Line = z.infer<typeof lineSchema>;

const anyLine = z.looseObject({ format: z.int().optional() });

/** A newer version of the sandbox wrote the data. */
export class NewerDataError extends Error {}

/** @throws NewerDataError where a newer sandbox wrote the line. */
export function parseLine(text: string, path: string): Line {
  const raw: unknown = JSON.parse(text);
  const { format = FORMAT } = anyLine.parse(raw);
  if (format > FORMAT)
    throw new NewerDataError(
      `${path} was written by a newer sandbox: its data format is ${format}, and this version reads up to ${FORMAT}. Use the newer version, or another folder.`,
    );
  const line = lineSchema.safeParse(raw);
  if (line.success) return line.data;
  throw new CorruptFileError(`${path} holds an unknown line: ${z.prettifyError(line.error)}`);
}

/** Approximate maximum of a line, far below JavaScript's limit for strings. */
const LINE_CHARACTERS = 8 * 1024 * 1024;

/** Serializes a change. Throws where it exceeds the longest possible string. */
export function serializeChange(change: Change): string {
  return JSON.stringify(change);
}

/** Packs changes into lines with checksums. With `isGroup`, they apply together or not at all. */
export function* packLines(
  changes: Iterable<string>,
  { clock, end, isGroup }: { clock?: ClockSetting | undefined; end?: number; isGroup: boolean },
  limit = LINE_CHARACTERS,
): Generator<string> {
  let texts: string[] = [];
  let length = 0;
  const line = (rest: object) => {
    const members = JSON.stringify({ format: FORMAT, ...rest }).slice(1);
    return sealLine(`{"changes":[${texts.join(",")}],${members}`);
  };
  for (const text of changes) {
    if (texts.length > 0 && length + text.length > limit) {
      yield line(isGroup ? { more: true } : {});
      texts = [];
      length = 0;
    }
    texts.push(text);
    length += text.length;
  }
  yield line({ ...(clock && { clock }), ...(end !== undefined && { end }) });
}
