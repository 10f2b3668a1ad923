import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract } from "./tarball.mjs";

/**
 * The limits below which a connection counts as too slow.
 *
 * @typedef {object} SpeedLimits
 * @property {number} responseMs time until the response begins
 * @property {number} windowMs the time in which `windowBytes` must arrive
 * @property {number} windowBytes
 */

/** @type {SpeedLimits} */
export const defaultLimits = { responseMs: 6_000, windowMs: 10_000, windowBytes: 500_000 };

/**
 * Returns the name of the vendor's archive for a machine; `undefined` if there is no usable one.
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
 * Downloads the engine's official release, verifies it against the published checksum, and unpacks some of its files
 * into a folder.
 *
 * @param {object} task
 * @param {string} task.version
 * @param {string} task.folder
 * @param {readonly string[]} task.files
 * @param {string} task.releases address of the folder of releases
 * @param {(line: string) => void} task.log
 * @param {SpeedLimits} [task.limits]
 * @param {string} [task.platform]
 * @param {string} [task.arch]
 */
export async function downloadRelease(task) {
  const { version, folder, files, releases, log, limits = defaultLimits } = task;
  const archive = archiveName(version, task.platform ?? process.platform, task.arch ?? process.arch);
  if (!archive) throw new Error(`no usable official release for ${process.platform} ${process.arch}`);

  log(`downloading ${archive} from ${new URL(releases).host}`);
  const list = await readText(`${releases}/pulumi-${version}-checksums.txt`, limits);
  const expected = list
    .split("\n")
    .map((line) => line.trim().split(/\s+\*?/))
    .find(([, name]) => name === archive)?.[0];
  if (!expected) throw new Error(`the published checksums have no entry for ${archive}`);

  const file = join(folder, archive);
  const hash = createHash("sha256");
  const megabytes = await readBytes(`${releases}/${archive}`, limits, async (bytes) => {
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
    throw new Error(`${archive} has the SHA-256 ${actual}, but ${expected} is published; not installed`);
  }
  log(`downloaded ${megabytes.toFixed(0)} MB, checksum verified; unpacking`);
  const found = await extract(file, files, folder);
  await rm(file);
  const missing = files.filter((name) => !found.includes(name));
  if (missing.length > 0) throw new Error(`${archive} has no ${missing.join(" and no ")}`);
}

/** @param {string} address @param {SpeedLimits} limits */
function readText(address, limits) {
  return readBytes(address, limits, async (bytes) => {
    const chunks = [];
    for await (const chunk of bytes) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  });
}

/**
 * Downloads an address, and stops if the connection is too slow.
 *
 * @template T
 * @param {string} address
 * @param {SpeedLimits} limits
 * @param {(bytes: AsyncIterable<Uint8Array>) => Promise<T>} consume
 * @returns {Promise<T>}
 */
async function readBytes(address, limits, consume) {
  const abort = new AbortController();
  let received = 0;
  let last = 0;
  let timer = setTimeout(
    () => abort.abort(new Error(`no response within ${limits.responseMs / 1000} s`)),
    limits.responseMs,
  );
  try {
    const response = await fetch(address, { signal: abort.signal });
    if (!response.ok || !response.body) throw new Error(`${address} returned ${response.status}`);
    clearTimeout(timer);
    timer = setInterval(() => {
      if (received - last < limits.windowBytes) {
        abort.abort(new Error(`only ${received - last} bytes arrived in ${limits.windowMs / 1000} s`));
      }
      last = received;
    }, limits.windowMs);
    const counted = async function* (/** @type {AsyncIterable<Uint8Array>} */ body) {
      for await (const chunk of body) {
        received += chunk.length;
        yield chunk;
      }
    };
    return await consume(counted(Readable.fromWeb(response.body)));
  } catch (error) {
    if (abort.signal.aborted) throw abort.signal.reason;
    // fetch reports only "fetch failed". The reason is in the cause, which may have a code but no message.
    if (!(error instanceof Error && error.cause instanceof Error)) throw error;
    const { cause } = error;
    throw new Error(cause.message || ("code" in cause ? String(cause.code) : cause.name), { cause });
  } finally {
    clearTimeout(timer);
  }
}
