import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { Account, Binaries } from "./binaries.js";
import type { Guard } from "./guard.js";
import type { Supervised } from "./supervisor.js";

/** The largest plan's 4,000 and a reserve; one server holds all databases. */
export const MAX_CONNECTIONS = 4100;

export const STOP_DEADLINE_MS = 15_000;

export interface Launched extends Supervised {
  readonly process: ChildProcess;
  readonly log: () => string;
}

/** Starts the server without waiting for it. */
export function launch(
  binaries: Binaries,
  guard: Guard,
  how: {
    readonly data: string;
    readonly account: Account;
    readonly port: number;
    readonly socketFolder: string;
    readonly isKept: boolean;
    /** `listen_addresses` of PostgreSQL. */
    readonly addresses: string;
  },
): Launched {
  const settings: Readonly<Record<string, string>> = {
    listen_addresses: how.addresses,
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
    // Temporary data need not be synced.
    fsync: how.isKept ? "on" : "off",
    full_page_writes: how.isKept ? "on" : "off",
    log_min_messages: "log",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // In its own process group, so that Ctrl-C reaches only the sandbox, which then stops it in order.
  const server = spawn(binaries.postgres, ["-D", how.data, ...flags], {
    ...how.account,
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
    log: () => startErrors(log),
    ended,
    async stop() {
      server.ref();
      // SIGINT stops fast but in order; SIGQUIT stops at once.
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

/** Extracts errors from the server's log, without times and process ids. */
function startErrors(log: string): string {
  const lines = log.split("\n").filter((line) => /FATAL|HINT|could not/.test(line));
  return lines.map((line) => line.replace(/^.*?\] [A-Z]+: +/, "")).join("; ");
}
