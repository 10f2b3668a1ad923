import { mkdir, stat } from "node:fs/promises";
import { setOwner } from "../state/write-atomically.js";
import type { Account } from "./binaries.js";

export async function makeFolderFor(account: Account, path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await setOwner(path, account, 0o700);
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
