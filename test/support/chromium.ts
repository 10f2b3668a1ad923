import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import { local } from "../../tools/setup/paths.mjs";

const run = promisify(execFile);

/** A Chromium and what it needs to start, also as root and in a container. */
export interface Chromium {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const systemPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const chosen = process.env["CHROMIUM"];
const isBundled = process.platform === "linux" && process.arch === "x64";
const systemPath = systemPaths.find((path) => existsSync(path));

/** Whether this machine has a Chromium: the one in `CHROMIUM`, that of the npm package, or an installed one. */
export const hasChromium = chosen !== undefined || isBundled || systemPath !== undefined;

/** Returns the Chromium of this machine. The npm package's comes before an installed one, so that results agree. */
export async function findChromium(): Promise<Chromium> {
  const installed = chosen ?? (isBundled ? undefined : systemPath);
  const args = ["--no-sandbox"];
  if (installed !== undefined) return { path: installed, args, env: process.env };
  const folder = await unpacked();
  return {
    path: join(folder, "chromium"),
    args,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, "al2023", "lib"),
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
    },
  };
}

const manifest = z.object({ version: z.string() });

/** Unpacks the npm package's Chromium once for a checkout. */
async function unpacked(): Promise<string> {
  const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const { version } = manifest.parse(
    JSON.parse(await readFile(join(main, "..", "..", "..", "package.json"), "utf8")),
  );
  const parent = join(local, "test");
  const folder = join(parent, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    const script = fileURLToPath(new URL("unpack-chromium.mjs", import.meta.url));
    await run(process.execPath, [script], { env: { ...process.env, TMPDIR: unfinished } });
    await writeFile(join(unfinished, "fonts.conf"), FONTS);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another test file may have been faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Only the package's own fonts, so that text is as wide on every machine. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`;
