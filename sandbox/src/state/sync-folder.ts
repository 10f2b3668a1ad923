import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Makes what was created, renamed or removed in a folder last. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows does not open folders.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder, and those above it where they are missing, that a power cut does not take away. The folder's own
 * entry is synced in any case: who made it may have been killed before that.
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

/** Some may pass through a folder, or write in it, and not read it. */
function rethrowUnlessForbidden(error: unknown): void {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "EACCES" && code !== "EPERM") throw error;
}
