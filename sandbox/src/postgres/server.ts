import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { type Account, accountFor, type Binaries, binariesFor, NoPostgresError } from "./binaries.js";
import { type Certificate, makeCertificate } from "./certificate.js";
import { type Supervised, Supervisor } from "./supervisor.js";

const run = promisify(execFile);

/** The role by which the sandbox itself connects, over the socket that only it can reach. */
export const ADMIN = "sandbox_admin";

/** Enough for the largest plan's 4,000 and some; one server holds all databases. */
const MAX_CONNECTIONS = 4100;
const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 15_000;
const REACH_DEADLINE_MS = 20_000;

export interface ServerOptions {
  /** Where data is kept; without it, in a temporary folder that goes with the server. */
  readonly folder: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  /** Is told when the server ends by itself, and when it is given up. */
  readonly report: (trouble: string) => void;
}

export interface PostgresServer {
  readonly port: number;
  /** The folder of the Unix socket, to which only this account (and root) has access. */
  readonly socketFolder: string;
  /** A temporary folder that goes with the server, even when the sandbox is killed. */
  readonly runFolder: string;
  readonly certificate: Certificate;
  /** A file that clients can name as `sslrootcert`. */
  readonly certificatePath: string;
  /** Why it cannot be reached at the moment. */
  readonly trouble: string | undefined;
  /**
   * Resolves when it can be reached.
   * @throws Where it has ended by itself and does not start again.
   */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Makes a cluster where there is none, and starts the bundled server on it; again with the same data at the same
 * place, should it end by itself.
 */
export async function startServer(options: ServerOptions): Promise<PostgresServer> {
  const account = accountFor(process.getuid?.());
  // Sockets have short names, so theirs is always a temporary folder.
  const runFolder = await mkdtemp(join(tmpdir(), "cloudservices-sandbox-"));
  const guard = watchOver(runFolder);
  const leave = async () => {
    guard.dismiss();
    await rm(runFolder, { recursive: true, force: true });
  };
  try {
    await give(runFolder, account, 0o711);
    const home = options.folder === undefined ? runFolder : resolve(options.folder);
    await mkdir(home, { recursive: true });
    const [data, socketFolder] = [join(home, "data"), join(runFolder, "socket")];
    const binaries = await binariesFor(home, account);
    await makeFolder(socketFolder, account);
    await makeFolder(data, account);
    await reachable(data, account);
    const isNew = !(await exists(join(data, "PG_VERSION")));
    if (isNew) await initialise(binaries, data, account);
    const certificate = await placeCertificate(home, data, account);
    const port = options.port === 0 ? await freePort() : options.port;
    const supervisor = await Supervisor.start({
      name: "PostgreSQL",
      report: options.report,
      async start() {
        await waitUntilFree(data);
        const keepsData = options.folder !== undefined;
        const server = launch(binaries, data, account, guard, { port, socketFolder, keepsData });
        await untilReady(server, socketFolder, port);
        return server;
      },
    });
    return {
      ...{ port, socketFolder, runFolder, certificate, certificatePath: join(home, "root.crt") },
      get trouble() {
        return supervisor.trouble;
      },
      ready: () => untilReached(supervisor, socketFolder, port),
      async stop() {
        await supervisor.stop();
        await leave();
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}

async function initialise(binaries: Binaries, data: string, account: Account): Promise<void> {
  await run(
    binaries.initdb,
    [
      ...["--pgdata", data, "--username", ADMIN, "--encoding", "UTF8", "--locale", "C"],
      ...["--locale-provider", "icu", "--icu-locale", "und", "--auth", "trust", "--no-sync"],
    ],
    { ...account, cwd: "/" },
  );
  await writeFile(
    join(data, "pg_hba.conf"),
    `# The sandbox comes through its own socket; everybody else over TLS and with a password.
local   all  ${ADMIN}                 trust
local   all  all                           trust
hostssl all  ${ADMIN}  all            reject
hostssl all  all            127.0.0.1/32   scram-sha-256
hostssl all  all            ::1/128        scram-sha-256
`,
  );
}

interface Launched extends Supervised {
  readonly process: ChildProcess;
  readonly log: () => string;
}

function launch(
  binaries: Binaries,
  data: string,
  account: Account,
  guard: Guard,
  how: { port: number; socketFolder: string; keepsData: boolean },
): Launched {
  const settings: Readonly<Record<string, string>> = {
    listen_addresses: "127.0.0.1",
    port: String(how.port),
    unix_socket_directories: how.socketFolder,
    unix_socket_permissions: "0700",
    max_connections: String(MAX_CONNECTIONS),
    superuser_reserved_connections: "5",
    shared_buffers: "32MB",
    ssl: "on",
    ssl_cert_file: "server.crt",
    ssl_key_file: "server.key",
    password_encryption: "scram-sha-256",
    // What goes with the process anyway need not reach the disk.
    fsync: how.keepsData ? "on" : "off",
    full_page_writes: how.keepsData ? "on" : "off",
    log_min_messages: "log",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // In a process group of its own, so that Ctrl-C reaches the sandbox first, which then stops it in order.
  const server = spawn(binaries.postgres, ["-D", data, ...flags], {
    ...account,
    cwd: "/",
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  server.stderr.on("data", (part: Buffer) => {
    log = (log + part.toString()).slice(-4000);
  });
  server.on("error", () => {});
  server.unref();
  guard.watch(server.pid);
  const ended = new Promise<string>((settle) => {
    server.once("exit", (code, signal) => settle(signal ?? `status ${code}`));
    server.once("error", ({ message }) => settle(message));
  });
  ended.then(() => guard.watch(undefined));
  return {
    process: server,
    log: () => complaints(log),
    ended,
    async stop() {
      server.ref();
      // SIGINT ends it fast but in order; SIGQUIT at once.
      server.kill("SIGINT");
      const stopped = await Promise.race([
        ended.then(() => true),
        delay(STOP_DEADLINE_MS, false, { ref: false }),
      ]);
      if (!stopped) server.kill("SIGQUIT");
      await ended;
    },
  };
}

/** What the server's log says against starting, without times and process ids. */
function complaints(log: string): string {
  const lines = log.split("\n").filter((line) => /FATAL|HINT|could not/.test(line));
  return lines.map((line) => line.replace(/^.*?\] [A-Z]+: +/, "")).join("; ");
}

interface Guard {
  /** The process that is to be stopped, where there is one. */
  watch(pid: number | undefined): void;
  dismiss(): void;
}

/**
 * A server must not outlive a sandbox that was killed: the guard reads from a pipe that ends with the sandbox, and
 * then stops the process that it was told last and takes the temporary folder away.
 */
function watchOver(runFolder: string): Guard {
  const script = `while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
  kill -INT "$pid" 2>/dev/null
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2>/dev/null && sleep 1; done
fi
rm -rf "$0"`;
  const guard = spawn("/bin/sh", ["-c", script, runFolder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return {
    watch: (pid) => void guard.stdin.write(`${pid ?? ""}\n`),
    dismiss: () => void guard.kill("SIGKILL"),
  };
}

async function untilReady(server: Launched, socketFolder: string, port: number): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    const { exitCode, signalCode, pid } = server.process;
    if (exitCode !== null || signalCode !== null || pid === undefined) {
      throw new NoPostgresError(`PostgreSQL did not start: ${server.log() || "it could not be run"}`);
    }
    const client = adminClient(socketFolder, port, "postgres");
    try {
      await client.connect();
      await client.query("REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC");
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        await server.stop();
        throw new NoPostgresError(`PostgreSQL did not start within a minute: ${server.log()}`, {
          cause: error,
        });
      }
    } finally {
      await client.end().catch(() => {});
    }
    await delay(25);
  }
}

/**
 * For a moment, a server that goes down has not ended yet, and one that mends itself after one of its processes was
 * killed lets nobody in.
 */
async function untilReached(supervisor: Supervisor, socketFolder: string, port: number): Promise<void> {
  const deadline = performance.now() + REACH_DEADLINE_MS;
  for (;;) {
    await supervisor.ready();
    const client = adminClient(socketFolder, port, "postgres");
    try {
      await client.connect();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    } finally {
      await client.end().catch(() => {});
    }
    await delay(100);
  }
}

/** Over the socket, as the role that owns everything. */
export function adminClient(socketFolder: string, port: number, database: string): Client {
  return socketClient(socketFolder, port, { user: ADMIN, database });
}

/** Over the socket, on which everybody is who they say they are. */
export function socketClient(
  socketFolder: string,
  port: number,
  who: { user: string; database: string },
): Client {
  const client = new Client({ host: socketFolder, port, ...who });
  // A connection that breaks shows in the next query; without a listener it would end the process.
  client.on("error", () => {});
  return client;
}

/** A server of a sandbox that was killed may still be going down. */
async function waitUntilFree(data: string): Promise<void> {
  const deadline = Date.now() + STOP_DEADLINE_MS;
  for (;;) {
    const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => undefined);
    const pid = Number(text?.split("\n")[0]);
    if (text === undefined || !isRunning(pid)) return;
    if (Date.now() > deadline) {
      throw new NoPostgresError(`Another PostgreSQL (process ${pid}) holds ${data}. Stop it first.`);
    }
    await delay(50);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function placeCertificate(home: string, data: string, account: Account): Promise<Certificate> {
  const paths = {
    root: join(home, "root.crt"),
    certificate: join(data, "server.crt"),
    key: join(data, "server.key"),
  };
  if (await exists(paths.root)) {
    return { certificate: await readFile(paths.certificate, "utf8"), key: await readFile(paths.key, "utf8") };
  }
  const made = makeCertificate(new Date());
  await writeFile(paths.certificate, made.certificate);
  await writeFile(paths.key, made.key, { mode: 0o600 });
  for (const path of [paths.certificate, paths.key]) await give(path, account, 0o600);
  await writeFile(paths.root, made.certificate, { mode: 0o644 });
  return made;
}

async function makeFolder(path: string, account: Account): Promise<void> {
  await mkdir(path, { recursive: true });
  await give(path, account, 0o700);
}

async function give(path: string, account: Account, mode: number): Promise<void> {
  await chmod(path, mode);
  if (account.uid !== undefined && account.gid !== undefined) await chown(path, account.uid, account.gid);
}

async function reachable(data: string, account: Account): Promise<void> {
  if (account.uid === undefined) return;
  try {
    await run("/bin/sh", ["-c", 'cd "$0"', data], { ...account, cwd: "/" });
  } catch (error) {
    throw new NoPostgresError(
      `PostgreSQL does not run as root, and user ${account.uid} cannot reach ${data}. Choose a --data folder that every user may pass through, or run the sandbox as an ordinary user.`,
      { cause: error },
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((settle, reject) => {
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", settle);
  });
  const address = probe.address();
  await new Promise<void>((settle) => probe.close(() => settle()));
  if (address === null || typeof address === "string") throw new Error("no free port was found");
  return address.port;
}
