import { createServer, type Server, type Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import type { Identity } from "./backend.js";
import type { Certificate } from "./certificate.js";
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
  /** The server's own. With another one, clients that bind their password to the certificate would not get in. */
  readonly certificate: Certificate;
  /** The port of the server on this machine. */
  readonly port: number;
  /** Whether there is such a database, and it has a pooled address. */
  readonly isPooled: (identity: Identity) => boolean;
  /** Clients at most, of all databases together. */
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

/** As PostgreSQL's own `authentication_timeout`, which counts from when the server is reached. */
const GREETING_MS = 60_000;

/**
 * The pooled address. Every client has a server connection of its own for as long as it stays, and all that the two
 * say to each other passes untouched: startup parameters, the password's exchange, prepared statements, cancelling.
 * The plan's limit is the role's, so that the server itself refuses who comes when it is reached. Only what opens a
 * connection is looked at, to let nobody in without TLS or into a database without a pooled address.
 */
export class Relay {
  readonly #parts: RelayParts;
  readonly #context: SecureContext;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Who is in, or on the way in, by database. */
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

  /** Ends everything that goes to a database, which is going away or loses its pooled address. */
  drop(identity: Identity): void {
    for (const client of this.#clients.get(keyOf(identity)) ?? []) client.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #take(socket: Socket): void {
    socket.on("error", () => {});
    if (this.#sockets.size >= this.#parts.maxClients) {
      socket.end(fatalError(TOO_MANY, "sorry, too many clients already"));
      return;
    }
    this.#sockets.add(socket);
    const deadline = setTimeout(() => socket.destroy(), GREETING_MS);
    socket.on("close", () => {
      clearTimeout(deadline);
      this.#sockets.delete(socket);
    });
    this.#greet(socket).then(
      (isIn) => isIn && clearTimeout(deadline),
      () => socket.destroy(),
    );
  }

  /**
   * The part before TLS: everybody but a canceller has to ask for it.
   * @returns Whether the server has taken over. Who is refused may stay until the deadline to read why.
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
        // What somebody put in before TLS must not pass for what is said within it.
        if (startup.isFollowed) break;
        socket.write("S");
        return this.#enter(new TLSSocket(socket, { isServer: true, secureContext: this.#context }));
      } else if (startup && isProtocol3(startup.code)) {
        const text = "connections without TLS are not allowed; use sslmode=require or stricter";
        socket.end(fatalError(NO_ACCESS, text));
        return false;
      } else break;
    }
    socket.destroy();
    return false;
  }

  /** The part within TLS: which database is it for? */
  async #enter(client: TLSSocket): Promise<boolean> {
    client.on("error", () => client.destroy());
    const startup = await readStartup(client);
    if (startup?.code === CANCEL_REQUEST) {
      await forwardCancel(this.#parts.port, startup.bytes);
      client.end();
    } else if (!startup) client.destroy();
    else if (!isProtocol3(startup.code)) {
      client.end(fatalError(NOT_SUPPORTED, "only version 3 of the protocol is spoken here"));
    } else {
      const parameters = parametersOf(startup.body);
      const user = parameters.get("user") ?? "";
      const identity = { user, database: parameters.get("database") || user };
      if (this.#parts.isPooled(identity)) return this.#connect(client, startup, identity);
      const text = `password authentication failed for user "${user}", or the database has no connection pool`;
      client.end(fatalError(BAD_PASSWORD, text));
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
      client.end(fatalError(NOT_REACHABLE, "the database server is not reachable"));
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

function keyOf({ user, database }: Identity): string {
  return `${user}\n${database}`;
}
