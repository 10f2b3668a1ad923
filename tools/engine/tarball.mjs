import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";

const block = 512;

/**
 * Extracts files from a `.tar.gz` by their base names, as executables. The engine's archive is three times as large as
 * the files that are needed.
 *
 * @param {string} archive
 * @param {readonly string[]} names
 * @param {string} folder
 * @returns {Promise<string[]>} the names found
 */
export async function extract(archive, names, folder) {
  const found = [];
  const reader = new BlockReader(createReadStream(archive).pipe(createGunzip()));
  for (;;) {
    const header = await reader.take(block);
    if (header.length < block || header.every((byte) => byte === 0)) return found;
    const { name, size, isFile } = readHeader(header);
    const wanted = isFile ? names.find((candidate) => candidate === name.split("/").at(-1)) : undefined;
    if (wanted) {
      const file = await open(join(folder, wanted), "wx", 0o755);
      try {
        await reader.each(size, (bytes) => file.writeFile(bytes));
      } finally {
        await file.close();
      }
      found.push(wanted);
    } else {
      await reader.each(size, async () => {});
    }
    await reader.each((block - (size % block)) % block, async () => {});
  }
}

/** @param {Buffer} header */
function readHeader(header) {
  const text = (/** @type {number} */ from, /** @type {number} */ to) =>
    header.toString("utf8", from, to).split("\0")[0] ?? "";
  const size = Number.parseInt(text(124, 136).trim() || "0", 8);
  if (text(257, 262) !== "ustar" || Number.isNaN(size)) throw new Error("the archive is not a tar file");
  const type = text(156, 157);
  return { name: text(0, 100), size, isFile: type === "0" || type === "" };
}

/** Reads a stream in portions of a given size. */
class BlockReader {
  /** @param {NodeJS.ReadableStream} stream */
  constructor(stream) {
    this.chunks = stream[Symbol.asyncIterator]();
    this.rest = /** @type {Buffer} */ (Buffer.alloc(0));
  }

  /** @param {number} size @returns {Promise<Buffer>} shorter only at the end of the stream */
  async take(size) {
    /** @type {Buffer[]} */
    const parts = [];
    await this.each(size, async (bytes) => void parts.push(bytes), true);
    return Buffer.concat(parts);
  }

  /**
   * @param {number} size
   * @param {(bytes: Buffer) => Promise<void>} consume
   * @param {boolean} [mayEnd] whether the stream may end earlier
   */
  async each(size, consume, mayEnd = false) {
    let left = size;
    while (left > 0) {
      if (this.rest.length === 0) {
        const next = await this.chunks.next();
        if (next.done) {
          if (mayEnd) return;
          throw new Error("the archive ends in the middle of a file");
        }
        this.rest = /** @type {Buffer} */ (next.value);
      }
      const bytes = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(bytes.length);
      left -= bytes.length;
      await consume(bytes);
    }
  }
}
