import { chmod, chown, mkdir, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../state/sync-folder.js";
import type { Account } from "./binaries.js";

export async function setOwner(path: string, account: Account, mode: number): Promise<void> {
  await chmod(path, mode);
  if (account.uid !== undefined && account.gid !== undefined) await chown(path, account.uid, account.gid);
}

export async function makeFolderFor(account: Account, path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await setOwner(path, account, 0o700);
}

/** Writes a file and names it once it is complete; kept files are synced first. */
export async function writeAtomically(
  path: string,
  content: string,
  { account, mode, isKept }: { readonly account: Account; readonly mode: number; readonly isKept: boolean },
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

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
