import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { engineFiles } from "./on-path.mjs";
import { extract } from "./tarball.mjs";

/**
 * How long a bad connection is put up with.
 *
 * @typedef {object} Patience
 * @property {number} answerMs until the server begins to answer
 * @property {number} windowMs the time in which `windowBytes` must arrive
 * @property {number} windowBytes
 */

/** @type {Patience} */
export const defaultPatience = { answerMs: 6_000, windowMs: 10_000, windowBytes: 500_000 };

/**
 * The name of the vendor's archive for this machine; `undefined` where there is none that we can use.
 *
 * @param {string} version
 * @param {string} platform
 * @param {string} arch
 */
export function archiveName(version, platform, arch) {
  if (!["linux", "darwin"].includes(platform) || !["x64", "arm64"].includes(arch)) return undefined;
  return `pulumi-v${version}-${platform}-${arch}.tar.gz`;
}

/**
 * Downloads the engine's official release into a folder, and checks it against the published checksum.
 *
 * @param {object} task
 * @param {string} task.version
 * @param {string} task.folder
 * @param {string} task.releases address of the folder of releases
 * @param {(line: string) => void} task.log
 * @param {Patience} [task.patience]
 * @param {string} [task.platform]
 * @param {string} [task.arch]
 */
export async function downloadEngine(task) {
  const { version, folder, releases, log, patience = defaultPatience } = task;
  const archive = archiveName(version, task.platform ?? process.platform, task.arch ?? process.arch);
  if (!archive)
    throw new Error(`no official release for ${process.platform} ${process.arch} that could be used`);

  log(`downloading ${archive} from ${new URL(releases).host}`);
  const list = await readText(`${releases}/pulumi-${version}-checksums.txt`, patience);
  const expected = list
    .split("\n")
    .map((line) => line.trim().split(/\s+\*?/))
    .find(([, name]) => name === archive)?.[0];
  if (!expected) throw new Error(`the published checksums have no entry for ${archive}`);

  const file = join(folder, archive);
  const hash = createHash("sha256");
  const megabytes = await readBytes(`${releases}/${archive}`, patience, async (bytes) => {
    const counted = async function* () {
      for await (const chunk of bytes) {
        hash.update(chunk);
        yield chunk;
      }
    };
    const output = createWriteStream(file);
    await pipeline(counted, output);
    return output.bytesWritten / 1e6;
  });
  const actual = hash.digest("hex");
  if (actual !== expected) {
    throw new Error(
      `${archive} has the SHA-256 ${actual}, but ${expected} is published: it was not installed`,
    );
  }
  log(`downloaded ${megabytes.toFixed(0)} MB, the checksum is right; unpacking`);
  const found = await extract(file, engineFiles, folder);
  await rm(file);
  const missing = engineFiles.filter((name) => !found.includes(name));
  if (missing.length > 0) throw new Error(`${archive} holds no ${missing.join(" and no ")}`);
}

/** @param {string} address @param {Patience} patience */
function readText(address, patience) {
  return readBytes(address, patience, async (bytes) => {
    const chunks = [];
    for await (const chunk of bytes) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  });
}

/**
 * Reads what is at an address, and gives up when too little of it comes.
 *
 * @template T
 * @param {string} address
 * @param {Patience} patience
 * @param {(bytes: AsyncIterable<Uint8Array>) => Promise<T>} consume
 * @returns {Promise<T>}
 */
async function readBytes(address, patience, consume) {
  const abort = new AbortController();
  let received = 0;
  let last = 0;
  let timer = setTimeout(
    () => abort.abort(new Error(`no answer within ${patience.answerMs / 1000} s`)),
    patience.answerMs,
  );
  try {
    const response = await fetch(address, { signal: abort.signal });
    if (!response.ok || !response.body) throw new Error(`${address} answered ${response.status}`);
    clearTimeout(timer);
    timer = setInterval(() => {
      if (received - last < patience.windowBytes) {
        abort.abort(new Error(`only ${received - last} bytes came in ${patience.windowMs / 1000} s`));
      }
      last = received;
    }, patience.windowMs);
    const counted = async function* (/** @type {AsyncIterable<Uint8Array>} */ body) {
      for await (const chunk of body) {
        received += chunk.length;
        yield chunk;
      }
    };
    return await consume(counted(Readable.fromWeb(response.body)));
  } catch (error) {
    if (abort.signal.aborted) throw abort.signal.reason;
    // fetch says only "fetch failed"; why is in the cause, which may have a code and no message.
    if (!(error instanceof Error && error.cause instanceof Error)) throw error;
    const { cause } = error;
    throw new Error(cause.message || ("code" in cause ? String(cause.code) : cause.name), { cause });
  } finally {
    clearTimeout(timer);
  }
}
