import { execFile } from "node:child_process";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { syncFolder } from "../state/sync-folder.js";
import { type Account, type Binaries, NoPostgresError } from "./binaries.js";
import { type Certificate, makeCertificate } from "./certificate.js";
import { exists, makeFolderFor, setOwner, writeAtomically } from "./files.js";

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
  const rules = `# The sandbox comes through its own socket; everybody else over TLS and with a password.
local   all  ${ADMIN}                 trust
local   all  all                           trust
hostssl all  ${ADMIN}  all            reject
hostssl all  all            127.0.0.1/32   scram-sha-256
hostssl all  all            ::1/128        scram-sha-256
`;
  await writeAtomically(join(data, "pg_hba.conf"), rules, { account, isKept, mode: 0o600 });
}

/** Creates the server's certificate if missing, and a copy that clients can use as `sslrootcert`. */
export async function placeCertificate(
  data: string,
  { home, account, isKept }: Place,
): Promise<Certificate & { readonly path: string }> {
  const paths = { certificate: join(data, "server.crt"), key: join(data, "server.key") };
  const path = join(home, "root.crt");
  if (!(await exists(paths.certificate))) {
    const made = await makeCertificate(new Date());
    // The certificate last: its presence implies the key's.
    await writeAtomically(paths.key, made.key, { account, isKept, mode: 0o600 });
    await writeAtomically(paths.certificate, made.certificate, { account, isKept, mode: 0o600 });
  }
  const certificate = await readFile(paths.certificate, "utf8");
  const copy = await readFile(path, "utf8").catch(() => undefined);
  if (copy !== certificate) await writeAtomically(path, certificate, { account: {}, isKept, mode: 0o644 });
  return { certificate, key: await readFile(paths.key, "utf8"), path };
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
