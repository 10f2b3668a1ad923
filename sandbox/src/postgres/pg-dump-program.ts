import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The build that the corrections apply to; others are rejected. */
const SHA256 = "cec672c7f5a4458b745416a7feaedf944c29ee15cfd1f4c7c8d286dfbf203ac5";

/**
 * This build replaces a socket by `recvfrom_bc` and `sock_flush`, which have two flaws, each corrected by one byte.
 * It fails after 1,025 consecutive reads, about 16 MB: the condition `reads < 1025` becomes `reads | 1025`, which is
 * always true. And at the end of its data it sets EINTR (27), which makes the reader loop forever, instead of EAGAIN
 * (6).
 */
const corrections = [
  { at: 0x3fc81, from: 0x48, to: 0x72 },
  { at: 0x3fec6, from: 27, to: 6 },
] as const;

/** Returns pg_dump 16.4, compiled to WebAssembly. */
export async function pgDumpProgram(): Promise<Uint8Array> {
  const require = createRequire(import.meta.url);
  const beside = require.resolve("@electric-sql/pglite-tools/pg_dump");
  return applyCorrections(await readFile(join(dirname(beside), "pg_dump.wasm")));
}

/** @throws Where it is another build. */
export function applyCorrections(original: Uint8Array): Uint8Array {
  const found = createHash("sha256").update(original).digest("hex");
  if (found !== SHA256) throw new Error("The bundled pg_dump is an unknown build.");
  const bytes = Uint8Array.from(original);
  for (const { at, from, to } of corrections) {
    if (bytes[at] !== from) throw new Error(`The bundled pg_dump differs at byte ${at}.`);
    bytes[at] = to;
  }
  return bytes;
}
