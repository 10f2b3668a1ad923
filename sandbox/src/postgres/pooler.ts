import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { type Backend, BackendError, type Identity } from "./backend.js";
import type { Certificate } from "./certificate.js";
import { Pool } from "./pool.js";
import {
  CANCEL_REQUEST,
  fatalError,
  GSS_REQUEST,
  type Message,
  Messages,
  message,
  PROTOCOL_3,
  ProtocolError,
  parametersOf,
  SSL_REQUEST,
} from "./protocol.js";

/** What the pooler must know of a database to let somebody in. */
export interface Pooled {
  readonly password: string;
  /** Server connections at most; clients beyond that take turns. */
  readonly size: number;
}

export interface PoolerParts {
  readonly certificate: Certificate;
  /** The database, if it exists and has a pool. */
  readonly find: (identity: Identity) => Pooled | undefined;
  readonly open: (identity: Identity) => Promise<Backend>;
}

const BAD_PASSWORD = "28P01";
const NO_ACCESS = "28000";

/**
 * Lets many clients share few server connections, a transaction at a time: what lasts longer than a transaction
 * (SET, LISTEN, named prepared statements) does not carry over. TLS is required, and the password is asked for
 * inside it.
 */
export class Pooler {
  readonly #parts: PoolerParts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #pools = new Map<string, Pool>();
  readonly #clients = new Map<string, Client>();

  constructor(parts: PoolerParts) {
    this.#parts = parts;
    const context = createSecureContext({ cert: parts.certificate.certificate, key: parts.certificate.key });
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
      this.#greet(socket, (plain) => new TLSSocket(plain, { isServer: true, secureContext: context }));
    });
  }

  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        if (address === null || typeof address === "string")
          reject(new Error("the pooler has no network address"));
        else resolve(address.port);
      });
    });
  }

  /** How many server connections a database has at the moment. */
  connectionsOf(identity: Identity): number {
    return this.#pools.get(keyOf(identity))?.count ?? 0;
  }

  /** Ends everything that goes to a database, which is going away or loses its pool. */
  drop(identity: Identity): void {
    for (const client of [...this.#clients.values()]) if (client.key === keyOf(identity)) client.end();
    this.#pools.get(keyOf(identity))?.close();
    this.#pools.delete(keyOf(identity));
  }

  async close(): Promise<void> {
    for (const pool of this.#pools.values()) pool.close();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** The part before TLS: everybody but a canceller has to ask for it. */
  #greet(socket: Socket, secure: (plain: Socket) => TLSSocket): void {
    const messages = new Messages();
    const onData = (piece: Buffer) => {
      const packet = startupOf(messages, piece, socket);
      if (!packet) return;
      if (packet.code === GSS_REQUEST) {
        socket.write("N");
        return;
      }
      socket.off("data", onData);
      if (packet.code === CANCEL_REQUEST) {
        this.#clients.get(packet.body.toString("hex"))?.cancel();
        socket.end();
      } else if (packet.code === SSL_REQUEST && messages.isEmpty) {
        socket.write("S");
        const encrypted = secure(socket);
        encrypted.on("error", () => socket.destroy());
        this.#enter(encrypted);
      } else {
        socket.end(
          fatalError(NO_ACCESS, "connections without TLS are not allowed; use sslmode=require or stricter"),
        );
      }
    };
    socket.on("data", onData);
  }

  /** The part within TLS: who is it, and what is the password? */
  #enter(socket: TLSSocket): void {
    const messages = new Messages();
    let identity: Identity | undefined;
    const onData = (piece: Buffer) => {
      if (!identity) {
        const packet = startupOf(messages, piece, socket);
        if (!packet) return;
        const parameters = parametersOf(packet.body);
        const user = parameters.get("user") ?? "";
        identity = { user, database: parameters.get("database") ?? user };
        if (packet.code !== PROTOCOL_3)
          socket.end(fatalError("0A000", "only protocol version 3.0 is spoken here"));
        else socket.write(message("R", 3));
        return;
      }
      const [answer] = piecesOf(messages, piece, socket);
      if (!answer) return;
      socket.off("data", onData);
      const pooled = this.#parts.find(identity);
      const password = answer.bytes.subarray(5, -1).toString("utf8");
      if (answer.type !== "p" || !pooled || !same(password, pooled.password)) {
        socket.end(fatalError(BAD_PASSWORD, `password authentication failed for user "${identity.user}"`));
        return;
      }
      this.#serve(socket, messages, identity, pooled);
    };
    socket.on("data", onData);
  }

  #serve(socket: TLSSocket, messages: Messages, identity: Identity, pooled: Pooled): void {
    const key = keyOf(identity);
    const pool = this.#pools.get(key) ?? new Pool(identity, pooled.size, this.#parts.open);
    this.#pools.set(key, pool);
    const secret = randomBytes(8);
    const client = new Client(socket, messages, pool, key);
    this.#clients.set(secret.toString("hex"), client);
    socket.on("close", () => {
      this.#clients.delete(secret.toString("hex"));
      client.end();
    });
    client.begin(secret);
  }
}

/** Messages that leave an extended query open until a Sync. */
const UNSYNCED = new Set(["P", "B", "D", "E", "C"]);

/** One client that is in: borrows a server connection when it speaks, gives it back when its transaction is over. */
class Client {
  readonly #socket: TLSSocket;
  readonly #messages: Messages;
  readonly #pool: Pool;
  #backend: Backend | undefined;
  #isAcquiring = false;
  #queue: Message[] = [];
  /** Answers that are still owed: a query or a Sync each end in one ReadyForQuery. */
  #owed = 0;
  #isUnsynced = false;
  /** The client reads more slowly than the server answers. */
  #isPaused = false;
  #isOver = false;

  constructor(
    socket: TLSSocket,
    messages: Messages,
    pool: Pool,
    readonly key: string,
  ) {
    this.#socket = socket;
    this.#messages = messages;
    this.#pool = pool;
  }

  /** The server's own greeting, with a key of the pooler's by which queries are cancelled. */
  begin(secret: Buffer): void {
    this.#pool.greeting(this).then(
      (greeting) => {
        this.#socket.write(
          Buffer.concat([message("R", 0), ...greeting, message("K", secret), message("Z", Buffer.from("I"))]),
        );
        this.#socket.on("data", (piece: Buffer) =>
          this.#receive(piecesOf(this.#messages, piece, this.#socket)),
        );
      },
      (error: unknown) => this.#fail(error),
    );
  }

  cancel(): void {
    this.#backend?.cancel();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.destroy();
    const backend = this.#backend;
    this.#backend = undefined;
    if (!backend) return;
    // In the middle of a transaction: closing rolls it back.
    backend.destroy();
    this.#pool.release(backend);
  }

  #receive(messages: Message[]): void {
    for (const each of messages) {
      if (each.type === "X") {
        this.end();
        return;
      }
      this.#queue.push(each);
    }
    if (this.#backend) this.#forward(this.#backend);
    else if (this.#queue.length > 0) this.#acquire();
  }

  #acquire(): void {
    if (this.#isAcquiring) return;
    this.#isAcquiring = true;
    this.#pool.acquire(this).then(
      (backend) => {
        this.#isAcquiring = false;
        if (this.#isOver) {
          this.#pool.release(backend);
          return;
        }
        this.#backend = backend;
        backend.onMessage = (each) => this.#answer(backend, each);
        backend.onClose = () => this.end();
        this.#forward(backend);
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #forward(backend: Backend): void {
    for (const { type, bytes } of this.#queue.splice(0)) {
      if (type === "Q" || type === "S" || type === "F") {
        this.#owed += 1;
        this.#isUnsynced = false;
      } else if (UNSYNCED.has(type)) this.#isUnsynced = true;
      if (!backend.write(bytes) && !this.#socket.isPaused()) {
        this.#socket.pause();
        backend.onceDrained(() => this.#socket.resume());
      }
    }
  }

  #answer(backend: Backend, { type, bytes }: Message): void {
    if (!this.#socket.write(bytes) && !this.#isPaused) {
      this.#isPaused = true;
      backend.pause();
      this.#socket.once("drain", () => {
        this.#isPaused = false;
        backend.resume();
      });
    }
    if (type !== "Z") return;
    this.#owed -= 1;
    const isIdle = bytes[5] === 0x49;
    if (!isIdle || this.#owed > 0 || this.#isUnsynced) return;
    this.#backend = undefined;
    this.#pool.release(backend);
  }

  #fail(error: unknown): void {
    const { code, message: text } =
      error instanceof BackendError ? error : new BackendError("08006", "the pool is closed");
    this.#socket.end(fatalError(code, text));
    this.#isOver = true;
  }
}

function startupOf(
  messages: Messages,
  piece: Buffer,
  socket: Socket,
): { code: number; body: Buffer } | undefined {
  try {
    return messages.startup(piece);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    socket.destroy();
    return undefined;
  }
}

function piecesOf(messages: Messages, piece: Buffer, socket: Socket): Message[] {
  try {
    return messages.push(piece);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    socket.destroy();
    return [];
  }
}

function keyOf({ user, database }: Identity): string {
  return `${user}\n${database}`;
}

function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
