import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import type { ClockSetting } from "../state/clock.js";
import { linesOf } from "../state/journal-file.js";
import { FORMAT, isTableName } from "../state/rows.js";
import type { Change } from "../state/store.js";
import { ControlError } from "./resources.js";

/** The longest line is a mail with its source, which JSON can make six times longer. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
/** How much of a dump one line holds. */
const PIECE_BYTES = 1024 * 1024;

/** A dump belongs to a database, as its content, or to a backup. */
export interface DumpName {
  readonly of: "database" | "backup";
  readonly id: string;
}

export interface StateHeader {
  /** The default domain of links, which is the sandbox's own address. */
  readonly shortDomain: string;
  readonly clock: ClockSetting;
}

/** An open dump, so that it can be read even if its backup expires meanwhile. */
export interface OpenDump extends DumpName {
  readonly handle: FileHandle;
}

/** A dump in a file. */
export interface DumpFile extends DumpName {
  readonly path: string;
}

const headerLine = z.strictObject({
  sandbox: z.literal("state"),
  format: z.int(),
  shortDomain: z.string(),
  clock: z.strictObject({ offset: z.number(), frozenAt: z.number().optional() }),
});
/** An id becomes the name of a file, of a database and of a role. */
const id = z.string().regex(/^\w+$/);
const rowLine = z.strictObject({
  table: z.string().refine(isTableName),
  id,
  row: z.looseObject({}),
});
const dumpLine = z.strictObject({
  of: z.enum(["database", "backup"]),
  id,
  sql: z.string(),
});
const endLine = z.strictObject({ rows: z.int() });
const anyLine = z.union([rowLine, dumpLine, endLine]);

/** A row as the file holds it, not yet validated. */
export type RawRow = z.infer<typeof rowLine>;

/**
 * Writes a state as one file: gzip of lines of JSON, which are a header, the dumps in pieces, the rows, and the number
 * of rows. Only this account can read it, because it holds passwords.
 * @param dumps - Yields a dump when its turn comes, so that each can be deleted before the next one is made.
 * @param rows - Called after the dumps, when it is known which resources were deleted meanwhile.
 */
export async function writeStateFile(
  path: string,
  header: StateHeader,
  dumps: AsyncIterable<OpenDump>,
  rows: () => readonly Change[],
): Promise<void> {
  const lines = Readable.from(linesFor(header, dumps, rows));
  await pipeline(lines, createGzip({ level: 6 }), createWriteStream(path, { mode: 0o600 }));
}

async function* linesFor(
  header: StateHeader,
  dumps: AsyncIterable<OpenDump>,
  rows: () => readonly Change[],
): AsyncGenerator<string> {
  yield `${JSON.stringify({ sandbox: "state", format: FORMAT, ...header })}\n`;
  for await (const { handle, of, id } of dumps) {
    // An empty dump, too, has a line.
    yield `${JSON.stringify({ of, id, sql: "" })}\n`;
    const pieces = handle.createReadStream({ encoding: "utf8", highWaterMark: PIECE_BYTES });
    for await (const sql of pieces) yield `${JSON.stringify({ of, id, sql })}\n`;
  }
  const kept = rows();
  for (const change of kept) yield `${JSON.stringify(change)}\n`;
  yield `${JSON.stringify({ rows: kept.length })}\n`;
}

export interface StateContent {
  readonly header: StateHeader;
  readonly rows: readonly RawRow[];
  readonly dumps: readonly DumpFile[];
}

/**
 * Reads a whole state file, and puts its dumps into a folder.
 * @throws ControlError where it is no state file, is damaged, or a newer sandbox wrote it.
 */
export async function readStateFile(path: string, folder: string): Promise<StateContent> {
  const rows: RawRow[] = [];
  const dumps = new DumpWriter(folder);
  let header: StateHeader | undefined;
  let isComplete = false;
  try {
    const source = createReadStream(path);
    const unpacked = createGunzip();
    const failed = pipeline(source, unpacked);
    failed.catch(() => {});
    for await (const { bytes } of linesOf(unpacked, MAX_LINE_BYTES)) {
      const value: unknown = JSON.parse(bytes.toString("utf8"));
      if (header === undefined) {
        header = readHeader(value);
        continue;
      }
      const line = anyLine.parse(value);
      if ("table" in line) rows.push(line);
      else if ("sql" in line) await dumps.write(line, line.sql);
      else isComplete = line.rows === rows.length;
    }
    await failed;
  } catch (error) {
    throw error instanceof ControlError ? error : noStateFile(error);
  } finally {
    await dumps.close();
  }
  if (header === undefined || !isComplete) throw noStateFile(new Error("its end is missing"));
  return { header, rows, dumps: dumps.files };
}

function readHeader(value: unknown): StateHeader {
  const { format, shortDomain, clock } = headerLine.parse(value);
  if (format <= FORMAT) return { shortDomain, clock };
  throw new ControlError(
    400,
    `A newer sandbox wrote the state: its format is ${format}, and this version reads up to ${FORMAT}.`,
  );
}

function noStateFile(error: unknown): ControlError {
  const reason =
    error instanceof z.ZodError ? "a line is unknown" : error instanceof Error ? error.message : "";
  return new ControlError(400, `This is no complete state file: ${reason}.`, { cause: error });
}

/** Joins the pieces of dumps, which arrive one dump after the other. */
class DumpWriter {
  readonly files: DumpFile[] = [];
  readonly #folder: string;
  #open: FileHandle | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write({ of, id }: DumpName, sql: string): Promise<void> {
    const last = this.files.at(-1);
    if (last?.of !== of || last.id !== id) {
      await this.close();
      const path = join(this.#folder, `${of}-${id}.sql`);
      this.#open = await open(path, "wx", 0o600);
      this.files.push({ of, id, path });
    }
    await this.#open?.writeFile(sql);
  }

  async close(): Promise<void> {
    await this.#open?.close();
    this.#open = undefined;
  }
}
