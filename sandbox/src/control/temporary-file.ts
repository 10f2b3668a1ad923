import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ControlError } from "./resources.js";

/** Maximum size of an uploaded file. */
const MAX_UPLOAD_BYTES = 16 * 1024 * 1024 * 1024;

/** Returns a new path for a file that its user deletes. */
export function temporaryFile(): string {
  return join(tmpdir(), `cloudservices-sandbox-${randomUUID()}`);
}

/**
 * Saves an upload, readable by this account only.
 * @throws ControlError where it is too large.
 */
export async function saveUpload(upload: AsyncIterable<Buffer>, path: string): Promise<void> {
  let bytes = 0;
  const limit = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      const error = new ControlError(400, `A file may have at most ${MAX_UPLOAD_BYTES} bytes.`);
      if (bytes > MAX_UPLOAD_BYTES) done(error);
      else done(null, piece);
    },
  });
  await pipeline(upload, limit, createWriteStream(path, { mode: 0o600, flags: "wx" }));
}
