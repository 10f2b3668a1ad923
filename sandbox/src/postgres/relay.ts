import { createServer, type Server, type Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import type { Certificate } from "../core/certificate.js";
import type { Identity } from "./backend.js";
import {
  CANCEL_REQUEST,
  fatalError,
  GSS_REQUEST,
  isProtocol3,
  parametersOf,
  SSL_REQUEST,
} from "./protocol.js";
import { connectToServer, forwardCancel } from "./server-connection.js";
import { readStartup, type Startup } from "./startup.js";

export interface RelayParts {
  /** The server's own certificate; clients that bind their password to it would fail with another. */
  readonly certificate: Certificate;
  /** The server's port on this machine. */
  readonly port: number;
  /** Returns whether the database exists and has a pooled address. */
  readonly isPooled: (identity: Identity) => boolean;
  /** Maximum clients of all databases. */
  readonly maxClients: number;
}

/** PostgreSQL, "Error Codes". */
const [BAD_PASSWORD, NO_ACCESS, NOT_REACHABLE, TOO_MANY, NOT_SUPPORTED] = [
  "28P01",
  "28000",
  "08006",
  "53300",
  "0A000",
] as const;

/** PostgreSQL's `authentication_timeout`, which starts once the server is connected. */
const GREETING_MS = 60_000;

/**
 * The pooled address, in session mode: each client has its own server connection, and the relay passes all messages
 * unchanged, including startup parameters, authentication, prepared statements and cancel requests. The server
 * enforces the plan's limit by the role. The relay reads only the startup, to require TLS and a database with a
 * pooled address.
 */
export class Relay {
  readonly #parts: RelayParts;
  readonly #context: SecureContext;
  readonly #server: Server;
  /** All that are open. */
  readonly #sockets = new Set<Socket>();
  /** Those that count towards the limit. */
  readonly #admitted = new Set<Socket>();
  /** Connected and connecting clients by database. */
  readonly #clients = new Map<string, Set<TLSSocket>>();

  constructor(parts: RelayParts) {
    this.#parts = parts;
    const { certificate, key } = parts.certificate;
    this.#context = createSecureContext({ cert: certificate, key });
    this.#server = createServer({ noDelay: true }, (socket) => this.#take(socket));
  }

  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        if (address === null || typeof address === "string")
          reject(new Error("the relay has no network address"));
        else resolve(address.port);
      });
    });
  }

  /** Closes all connections to a database that is deleted or loses its pooled address. */
  drop(identity: Identity): void {
    for (const client of this.#clients.get(keyOf(identity)) ?? []) client.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #take(socket: Socket): void {
    socket.on("error", () => {});
    this.#sockets.add(socket);
    const deadline = setTimeout(() => socket.destroy(), GREETING_MS);
    socket.on("close", () => {
      clearTimeout(deadline);
      this.#sockets.delete(socket);
      this.#admitted.delete(socket);
    });
    if (this.#admitted.size >= this.#parts.maxClients) {
      reject(socket, TOO_MANY, "sorry, too many clients already");
      return;
    }
    this.#admitted.add(socket);
    this.#greet(socket).then(
      (isIn) => isIn && clearTimeout(deadline),
      () => socket.destroy(),
    );
  }

  /**
   * Handles the startup before TLS: all but cancel requests must ask for TLS.
   * @returns Whether the server has taken over. A rejected client may stay until the deadline to read the error.
   */
  async #greet(socket: Socket): Promise<boolean> {
    for (;;) {
      const startup = await readStartup(socket);
      if (startup?.code === GSS_REQUEST && !startup.isFollowed) {
        socket.write("N");
      } else if (startup?.code === CANCEL_REQUEST) {
        await forwardCancel(this.#parts.port, startup.bytes);
        socket.end();
        return false;
      } else if (startup?.code === SSL_REQUEST) {
        // Data sent before TLS must not be taken for data inside it.
        if (startup.isFollowed) break;
        socket.write("S");
        return this.#enter(new TLSSocket(socket, { isServer: true, secureContext: this.#context }));
      } else if (startup && isProtocol3(startup.code)) {
        const text = "connections without TLS are not allowed; use sslmode=require or stricter";
        reject(socket, NO_ACCESS, text);
        return false;
      } else break;
    }
    socket.destroy();
    return false;
  }

  /** Handles the startup inside TLS, which names the database. */
  async #enter(client: TLSSocket): Promise<boolean> {
    client.on("error", () => client.destroy());
    const startup = await readStartup(client);
    if (startup?.code === CANCEL_REQUEST) {
      await forwardCancel(this.#parts.port, startup.bytes);
      client.end();
    } else if (!startup) client.destroy();
    else if (!isProtocol3(startup.code)) {
      reject(client, NOT_SUPPORTED, "only version 3 of the protocol is spoken here");
    } else {
      const parameters = parametersOf(startup.body);
      const user = parameters.get("user") ?? "";
      const identity = { user, database: parameters.get("database") || user };
      if (this.#parts.isPooled(identity)) return this.#connect(client, startup, identity);
      const text = `password authentication failed for user "${user}", or the database has no connection pool`;
      reject(client, BAD_PASSWORD, text);
    }
    return false;
  }

  async #connect(client: TLSSocket, startup: Startup, identity: Identity): Promise<boolean> {
    this.#remember(client, keyOf(identity));
    try {
      const server = await connectToServer(this.#parts.port, this.#parts.certificate, client);
      server.on("close", () => client.destroySoon());
      client.on("close", () => server.destroy());
      server.write(startup.bytes);
      client.pipe(server).pipe(client);
      return true;
    } catch {
      reject(client, NOT_REACHABLE, "the database server is not reachable");
      return false;
    }
  }

  #remember(client: TLSSocket, key: string): void {
    const clients = this.#clients.get(key) ?? new Set();
    this.#clients.set(key, clients.add(client));
    client.on("close", () => {
      clients.delete(client);
      if (clients.size === 0 && this.#clients.get(key) === clients) this.#clients.delete(key);
    });
  }
}

/** Sends an error and reads on, because the end of a client is noticed only by a reader. */
function reject(client: Socket, code: string, text: string): void {
  client.end(fatalError(code, text));
  client.resume();
}

function keyOf({ user, database }: Identity): string {
  return `${user}\n${database}`;
}
