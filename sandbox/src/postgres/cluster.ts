import { execFile } from "node:child_process";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Certificate } from "../core/certificate.js";
import { syncFolder } from "../state/sync-folder.js";
import { setOwner, writeAtomically } from "../state/write-atomically.js";
import { type Account, type Binaries, NoPostgresError } from "./binaries.js";
import { exists, makeFolderFor } from "./files.js";

const run = promisify(execFile);

/** The role that the sandbox uses over its private socket. */
export const ADMIN = "sandbox_admin";

/** Where a server's data is, and who owns it. */
export interface Place {
  /** The folder of all files. */
  readonly home: string;
  readonly account: Account;
  /** Whether the data must survive the sandbox and a power cut. */
  readonly isKept: boolean;
}

const UNFINISHED = "data.unfinished-";

/**
 * Creates a server's files if they are missing. They get their name only when complete and synced, so an interrupted
 * initdb leaves no usable folder.
 * @returns Their folder.
 */
export async function makeCluster(binaries: Binaries, place: Place): Promise<string> {
  const { home, account, isKept } = place;
  const data = join(home, "data");
  await removeUnfinished(home);
  if (await exists(join(data, "PG_VERSION"))) {
    await setOwner(data, account, 0o700);
    await reachable(data, place);
    return data;
  }
  // A unique name, because the initdb of a killed sandbox may still be writing.
  const unfinished = join(home, `${UNFINISHED}${process.pid}-${Date.now()}`);
  try {
    await makeFolderFor(account, unfinished);
    await reachable(unfinished, place);
    await initialise(binaries, unfinished, place);
    await rename(unfinished, data);
  } catch (error) {
    await removeUnfinished(home);
    throw error;
  }
  if (isKept) await syncFolder(home);
  return data;
}

async function removeUnfinished(home: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith(UNFINISHED));
  for (const name of names) await rm(join(home, name), { recursive: true, force: true }).catch(() => {});
}

async function initialise(binaries: Binaries, data: string, { account, isKept }: Place): Promise<void> {
  await run(
    binaries.initdb,
    [
      ...["--pgdata", data, "--username", ADMIN, "--encoding", "UTF8", "--locale", "C"],
      ...["--locale-provider", "icu", "--icu-locale", "und", "--auth", "trust"],
      ...(isKept ? [] : ["--no-sync"]),
    ],
    { ...account, cwd: "/" },
  );
}

/** Writes which clients may connect, if the file differs: those of this machine, or with `isPublic` all. */
export async function placeAccessRules(
  data: string,
  { account, isKept }: Place,
  isPublic: boolean,
): Promise<void> {
  const clients = isPublic ? ["all"] : ["127.0.0.1/32", "::1/128"];
  const rules = `# The sandbox connects through its own socket; clients need TLS and a password.
local   all  ${ADMIN}  trust
local   all  all  trust
hostssl all  ${ADMIN}  all  reject
${clients.map((client) => `hostssl all  all  ${client}  scram-sha-256\n`).join("")}`;
  await place(join(data, "pg_hba.conf"), rules, { account, isKept, mode: 0o600 });
}

/** Places the server's certificate, and a copy that clients can use as `sslrootcert`. Returns the copy's path. */
export async function placeCertificate(
  { certificate, key }: Certificate,
  data: string,
  { home, account, isKept }: Place,
): Promise<string> {
  const path = join(home, "root.crt");
  await place(join(data, "server.key"), key, { account, isKept, mode: 0o600 });
  await place(join(data, "server.crt"), certificate, { account, isKept, mode: 0o600 });
  await place(path, certificate, { account: {}, isKept, mode: 0o644 });
  return path;
}

/** Writes a file unless it has this content. */
async function place(
  path: string,
  content: string,
  how: Parameters<typeof writeAtomically>[2],
): Promise<void> {
  if ((await readFile(path, "utf8").catch(() => undefined)) !== content)
    await writeAtomically(path, content, how);
}

async function reachable(data: string, { home, account }: Place): Promise<void> {
  if (account.uid === undefined) return;
  try {
    await run("/bin/sh", ["-c", 'cd "$0"', data], { ...account, cwd: "/" });
  } catch (error) {
    throw new NoPostgresError(
      `PostgreSQL does not run as root, and user ${account.uid} cannot reach ${home}. Choose a --data folder that every user can reach, or run the sandbox as an ordinary user.`,
      { cause: error },
    );
  }
}
