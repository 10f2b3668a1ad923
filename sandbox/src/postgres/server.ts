import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import type { Certificate, CertificateSource } from "../core/certificate.js";
import { makeDurableFolder } from "../state/sync-folder.js";
import { setOwner } from "../state/write-atomically.js";
import { accountFor, type Binaries, binariesFor, NoPostgresError } from "./binaries.js";
import { ADMIN, makeCluster, type Place, placeAccessRules, placeCertificate } from "./cluster.js";
import { makeFolderFor } from "./files.js";
import { type Guard, startGuard } from "./guard.js";
import { type Launched, launch, STOP_DEADLINE_MS } from "./launch.js";
import { waitUntilFree } from "./postmaster.js";
import { Supervisor } from "./supervisor.js";

const START_DEADLINE_MS = 60_000;
const REACH_DEADLINE_MS = 20_000;
/** How long a killed sandbox's server may take to stop; its guard waits ten seconds first. */
const END_DEADLINE_MS = 30_000;

export interface ServerOptions {
  /** The data folder; a temporary one by default. */
  readonly folder: string | undefined;
  /** 0 takes any free port. */
  readonly port: number;
  /** The address that clients of other machines use; by default only this machine's clients may connect. */
  readonly publicAddress?: string | undefined;
  readonly certificate: CertificateSource;
  /** Called when the server ends unexpectedly, and when restarting it is abandoned. */
  readonly report: (trouble: string) => void;
  /** Finds a port that is probably free. */
  readonly findPort?: () => Promise<number>;
}

export interface PostgresServer {
  readonly port: number;
  /** The folder of the Unix socket, accessible only to this account and root. */
  readonly socketFolder: string;
  /** A temporary folder, deleted with the server even if the sandbox is killed. */
  readonly runFolder: string;
  readonly certificate: Certificate;
  /** A file that clients can use as `sslrootcert`. */
  readonly certificatePath: string;
  /** Why the server is unreachable, if it is. */
  readonly trouble: string | undefined;
  /**
   * Resolves when the server is reachable.
   * @throws Where it ended and cannot be restarted.
   */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates a cluster if needed and starts the bundled server. Restarts it with the same data and port if it ends. */
export async function startServer(options: ServerOptions): Promise<PostgresServer> {
  const account = accountFor(process.getuid?.());
  // Always temporary, because socket paths must be short.
  const runFolder = await mkdtemp(join(tmpdir(), "cloudservices-sandbox-"));
  const guard = startGuard(runFolder);
  const leave = async () => {
    guard.dismiss();
    await rm(runFolder, { recursive: true, force: true });
  };
  try {
    await setOwner(runFolder, account, 0o711);
    const isKept = options.folder !== undefined;
    const home = options.folder === undefined ? runFolder : resolve(options.folder);
    if (isKept) await makeDurableFolder(home);
    const place: Place = { home, account, isKept };
    const binaries = await binariesFor(home, account);
    const socketFolder = join(runFolder, "socket");
    await makeFolderFor(account, socketFolder);
    const data = await makeCluster(binaries, place);
    const certificate = await options.certificate();
    const certificatePath = await placeCertificate(certificate, data, place);
    await placeAccessRules(data, place, options.publicAddress !== undefined);
    const addresses = listenAddresses(options.publicAddress);
    const launcher = new Launcher(binaries, guard, { ...place, data, socketFolder, addresses }, options);
    const supervisor = await Supervisor.start({
      name: "PostgreSQL",
      report: options.report,
      start: () => launcher.start(),
    });
    const { port } = launcher;
    return {
      ...{ port, socketFolder, runFolder, certificate, certificatePath },
      get trouble() {
        return supervisor.trouble;
      },
      ready: () => waitUntilReachable(supervisor, socketFolder, port),
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

/** Returns `listen_addresses`. The sandbox itself connects to 127.0.0.1. */
function listenAddresses(publicAddress: string | undefined): string {
  if (publicAddress === undefined || publicAddress === "127.0.0.1") return "127.0.0.1";
  if (publicAddress === "0.0.0.0") return publicAddress;
  return publicAddress === "::" ? "*" : `127.0.0.1,${publicAddress}`;
}

type LaunchPlace = Place & {
  readonly data: string;
  readonly socketFolder: string;
  readonly addresses: string;
};

/** Starts the server with the same data and port each time; the first start chooses the port. */
class Launcher {
  readonly #binaries: Binaries;
  readonly #guard: Guard;
  readonly #place: LaunchPlace;
  readonly #findPort: () => Promise<number>;
  /** 0 until the first start. */
  port: number;

  constructor(
    binaries: Binaries,
    guard: Guard,
    place: LaunchPlace,
    { port, findPort = freePort }: ServerOptions,
  ) {
    this.#binaries = binaries;
    this.#guard = guard;
    this.#place = place;
    this.#findPort = findPort;
    this.port = port;
  }

  async start(): Promise<Launched> {
    const { data, socketFolder } = this.#place;
    const deadline = Date.now() + STOP_DEADLINE_MS;
    for (;;) {
      await waitUntilFree(data, END_DEADLINE_MS);
      const port = this.port === 0 ? await this.#findPort() : this.port;
      const server = launch(this.#binaries, this.#guard, { ...this.#place, port });
      try {
        await waitUntilReady(server, socketFolder, port);
        this.port = port;
        return server;
      } catch (error) {
        if (!this.#isPassing(error) || Date.now() > deadline) throw error;
      }
      await delay(100);
    }
  }

  /** Returns whether a retry may help: the port was taken meanwhile, or processes of a killed server remain. */
  #isPassing(error: unknown): boolean {
    const text = error instanceof Error ? error.message : "";
    return (this.port === 0 && text.includes("Address already in use")) || /shared memory.*in use/.test(text);
  }
}

async function waitUntilReady(server: Launched, socketFolder: string, port: number): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    const { exitCode, signalCode, pid } = server.process;
    if (exitCode !== null || signalCode !== null || pid === undefined) {
      throw new NoPostgresError(`PostgreSQL did not start: ${server.log() || "it cannot be executed"}`);
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
 * Waits until the server accepts connections. It refuses them briefly while it stops or recovers from the death of
 * one of its processes.
 */
async function waitUntilReachable(supervisor: Supervisor, socketFolder: string, port: number): Promise<void> {
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

/** Returns a client of the administrator over the socket. */
export function adminClient(socketFolder: string, port: number, database: string): Client {
  return socketClient(socketFolder, port, { user: ADMIN, database });
}

/** Returns a client over the socket, where any role may connect. */
export function socketClient(
  socketFolder: string,
  port: number,
  who: { user: string; database: string },
): Client {
  const client = new Client({ host: socketFolder, port, ...who });
  // The next query reports a broken connection; without a listener, the error would end the process.
  client.on("error", () => {});
  return client;
}

/** Returns a port that is free at this moment. Another process may take it before PostgreSQL does. */
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
