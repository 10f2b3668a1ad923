import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, parse } from "node:path";

/** A folder for one stack: its state and its engine's home. */
export interface StackFolder {
  readonly path: string;
  /** The environment that makes the engine use only this folder. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

/**
 * Creates a folder below the project's `node_modules`, where the engine's host finds the project's packages, and where
 * version control and watchers do not look.
 */
export function openStackFolder(): StackFolder {
  const parent = join(projectFolder(), "node_modules", ".cache", "pulumi-cloudservices");
  mkdirSync(parent, { recursive: true });
  removeAbandoned(parent);
  const path = mkdtempSync(join(parent, `stack-${process.pid}-`));
  for (const name of ["home", "state"]) mkdirSync(join(path, name));
  return {
    path,
    environment: {
      PULUMI_HOME: join(path, "home"),
      PULUMI_BACKEND_URL: `file://${join(path, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "test",
      PULUMI_SKIP_UPDATE_CHECK: "1",
    },
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Returns the nearest folder with a package.json. */
function projectFolder(): string {
  const start = process.cwd();
  for (let folder = start; folder !== parse(folder).root; folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return folder;
  return start;
}

/** Removes the folders of killed processes. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = Number(/^stack-(\d+)-/.exec(name)?.[1] ?? 0);
    if (owner > 0 && !isAlive(owner)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
