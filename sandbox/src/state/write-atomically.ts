import { chmod, chown, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./sync-folder.js";

/** The account that a file is for; by default the present one. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

export async function setOwner(path: string, owner: Owner, mode: number): Promise<void> {
  await chmod(path, mode);
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(path, owner.uid, owner.gid);
}

/** Writes a file and names it once it is complete; kept files are synced first. */
export async function writeAtomically(
  path: string,
  content: string,
  { account, mode, isKept }: { readonly account: Owner; readonly mode: number; readonly isKept: boolean },
): Promise<void> {
  const unfinished = `${path}.unfinished`;
  const file = await open(unfinished, "w", mode);
  try {
    await file.writeFile(content);
    await setOwner(unfinished, account, mode);
    if (isKept) await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  if (isKept) await syncFolder(dirname(path));
}
