import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Syncs a folder's entries to disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder and its missing parents so that they survive a power cut. Always syncs the folder's own entry,
 * because its creator may have been killed before doing so.
 */
export async function makeDurableFolder(path: string, mode?: number): Promise<void> {
  const folder = resolve(path);
  const made = await mkdir(folder, { recursive: true, mode });
  const highest = dirname(made ?? folder);
  for (let each = dirname(folder); ; each = dirname(each)) {
    await syncFolder(each).catch(rethrowUnlessForbidden);
    if (each === highest || each === dirname(each)) return;
  }
}

/** An account may be allowed to use a folder but not to read it. */
function rethrowUnlessForbidden(error: unknown): void {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "EACCES" && code !== "EPERM") throw error;
}
