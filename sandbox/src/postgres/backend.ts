import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { cancelPacket, errorFields, type Message, Messages, message, startupPacket } from "./protocol.js";

/** What a server connection belongs to. */
export interface Identity {
  readonly user: string;
  readonly database: string;
}

/** The server refused; told to the client in the server's own words. */
export class BackendError extends Error {
  constructor(
    readonly code: string,
    text: string,
  ) {
    super(text);
  }
}

/** One connection to the real server, lent to one client after the other. */
export class Backend {
  readonly #socket: Socket;
  readonly #path: string;
  readonly #messages = new Messages();
  /** What the server said about itself at the start; every client of the pool is told the same. */
  readonly parameters: Buffer[] = [];
  /** Process id and secret, by which a query can be cancelled. */
  #key: Buffer = Buffer.alloc(8);
  onMessage: (message: Message) => void = () => {};
  onClose: () => void = () => {};
  isClosed = false;
  /** The client that had it last; a new one gets it with a clean session. */
  lastClient: object | undefined;

  private constructor(path: string) {
    this.#path = path;
    this.#socket = connect(path);
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.isClosed = true;
      this.onClose();
    });
    this.#socket.on("data", (piece) => {
      try {
        for (const each of this.#messages.push(piece)) this.onMessage(each);
      } catch {
        this.destroy();
      }
    });
  }

  /** @param settings - For the session, whatever the database and the role have settled for theirs. */
  static open(
    socketFolder: string,
    port: number,
    identity: Identity,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Backend> {
    const backend = new Backend(join(socketFolder, `.s.PGSQL.${port}`));
    return new Promise((resolve, reject) => {
      backend.onClose = () => reject(new BackendError("08006", "the database server is not reachable"));
      backend.onMessage = ({ type, bytes }) => {
        if (type === "S") backend.parameters.push(bytes);
        else if (type === "K") backend.#key = bytes.subarray(5, 13);
        else if (type === "E") {
          const { code, text } = errorFields(bytes);
          backend.onClose = () => {};
          backend.destroy();
          reject(new BackendError(code, text));
        } else if (type === "Z") {
          backend.release();
          resolve(backend);
        }
      };
      backend.#socket.write(startupPacket({ ...settings, user: identity.user, database: identity.database }));
    });
  }

  /** Makes the session as if it were new, for another client. */
  async clean(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.onClose = () => reject(new BackendError("08006", "the database server closed the connection"));
      this.onMessage = ({ type }) => {
        if (type === "Z") resolve();
      };
      this.#socket.write(message("Q", "DISCARD ALL"));
    });
    this.release();
  }

  write(bytes: Buffer): boolean {
    return this.#socket.write(bytes);
  }

  onceDrained(then: () => void): void {
    this.#socket.once("drain", then);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Belongs to nobody from here on, and reads on whatever its last client held up. */
  release(): void {
    this.onMessage = () => {};
    this.onClose = () => {};
    this.#socket.resume();
  }

  /** Asks the server to stop what this connection does. */
  cancel(): void {
    const socket = connect(this.#path);
    socket.on("error", () => {});
    socket.end(cancelPacket(this.#key));
  }

  destroy(): void {
    this.isClosed = true;
    this.#socket.destroy();
  }
}
