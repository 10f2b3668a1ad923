import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { run } from "../../tools/process/run.mjs";
import { closeLater } from "../support/folder.js";

/** The root folder of the checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folders of the published packages. */
export const rooms = ["sdk", "provider", "sandbox"] as const;

/** A package as the registry would receive it. */
export interface Tarball {
  readonly room: (typeof rooms)[number];
  readonly name: string;
  readonly path: string;
  /** The paths of its files, relative to the package's folder. */
  readonly files: readonly string[];
}

const packed = z
  .tuple([
    z.object({
      name: z.string(),
      filename: z.string(),
      files: z.array(z.object({ path: z.string() })),
    }),
  ])
  .transform(([one]) => one);

/** Creates an empty folder outside the checkout, so that modules resolve only to files in it. */
export function emptyFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cloudservices-packages-")));
  closeLater(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Packs the built packages into a folder. */
export async function packInto(folder: string): Promise<Tarball[]> {
  mkdirSync(folder, { recursive: true });
  return Promise.all(
    rooms.map(async (room) => {
      const { code, stdout, stderr } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
        cwd: join(root, room),
        env: process.env,
      });
      if (code !== 0) throw new Error(`npm pack in ${room} failed:\n${stderr}`);
      const { name, filename, files } = packed.parse(JSON.parse(stdout));
      return { room, name, path: join(folder, filename), files: files.map(({ path }) => path) };
    }),
  );
}

/** Returns the bytes of a tarball, in a buffer of their own. */
export function bytesOf({ path }: Tarball): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(path));
}
