import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { engineProcesses } from "../../tools/process/engine-processes.mjs";
import { isAlive, signal } from "../../tools/process/tree.mjs";

/** Inside the checkout, so that programs resolve its packages like installed ones. */
const parent = fileURLToPath(new URL("../../.local/tests/", import.meta.url));

/** The passphrase of each stack. */
const PASSPHRASE = "passphrase of a test";

const open = new Set<() => Promise<void>>();

/** Calls `close` once: at the end of the test file, or earlier through the returned function. */
export function closeLater(close: () => Promise<void> | void): () => Promise<void> {
  const once = async () => {
    if (!open.delete(once)) return;
    await close();
  };
  open.add(once);
  return once;
}

/** Closes everything that is still open, the latest first. */
export async function closeAll(): Promise<void> {
  for (const close of [...open].reverse()) await close();
}

/** A folder for one stack: its program, its state and its engine's home. */
export interface StackFolder {
  readonly path: string;
  /** The environment that makes the engine use only this folder. */
  readonly environment: Readonly<Record<string, string>>;
  write(files: Readonly<Record<string, string>>): void;
  remove(): Promise<void>;
}

/** Removes the folders of killed runs. */
export function removeAbandoned(): void {
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    const owner = Number(/^stack-(\d+)-/.exec(name)?.[1] ?? 0);
    if (owner > 0 && !isAlive(owner)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** Creates a folder, which is removed at the end of the test file at the latest. */
export function openFolder(): StackFolder {
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, `stack-${process.pid}-`));
  for (const name of ["home", "state"]) mkdirSync(join(path, name));
  return {
    path,
    environment: {
      PULUMI_HOME: join(path, "home"),
      PULUMI_BACKEND_URL: `file://${join(path, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
      PULUMI_SKIP_UPDATE_CHECK: "1",
      // A command of the engine ends before its memory fills, so it need not collect garbage.
      GOGC: "off",
      GOMEMLIMIT: "512MiB",
    },
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), content);
      }
    },
    remove: closeLater(() => {
      for (const pid of engineProcesses(join(path, "home"))) signal(pid, "SIGKILL");
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    }),
  };
}
