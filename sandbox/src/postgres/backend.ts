import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { errorFields, type Message, Messages, startupPacket } from "./protocol.js";

/** User and database of a server connection. */
export interface Identity {
  readonly user: string;
  readonly database: string;
}

/** An error that the server sent. */
class BackendError extends Error {
  constructor(
    readonly code: string,
    text: string,
  ) {
    super(text);
  }
}

/** A connection to the server over its Unix socket, message by message. */
export class Backend {
  readonly #socket: Socket;
  readonly #messages = new Messages();
  /** The parameters that the server sent at startup. */
  readonly parameters: Buffer[] = [];
  onMessage: (message: Message) => void = () => {};
  onClose: () => void = () => {};
  isClosed = false;

  private constructor(path: string) {
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

  /** @param settings - Override those of the database and the role for this session. */
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
        else if (type === "E") {
          const { code, text } = errorFields(bytes);
          backend.onClose = () => {};
          backend.destroy();
          reject(new BackendError(code, text));
        } else if (type === "Z") {
          backend.onMessage = () => {};
          backend.onClose = () => {};
          resolve(backend);
        }
      };
      backend.#socket.write(startupPacket({ ...settings, user: identity.user, database: identity.database }));
    });
  }

  write(bytes: Buffer): boolean {
    return this.#socket.write(bytes);
  }

  destroy(): void {
    this.isClosed = true;
    this.#socket.destroy();
  }
}
