/** The part of PostgreSQL's wire protocol (version 3) that the relay and dumps need. */

export const SSL_REQUEST = 80877103;
export const GSS_REQUEST = 80877104;
export const CANCEL_REQUEST = 80877102;
const PROTOCOL_3 = 196608;

/** As PostgreSQL's own MAX_STARTUP_PACKET_LENGTH. */
export const MAX_STARTUP = 10_000;

/** Requests TLS. */
export const SSL_PACKET = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Accepts any minor version; servers and clients negotiate it. */
export function isProtocol3(code: number): boolean {
  return code >> 16 === 3;
}

/** A message after startup: a type byte, four bytes of length, content. */
export interface Message {
  readonly type: string;
  /** The whole message as it was sent. */
  readonly bytes: Buffer;
}

/** PostgreSQL's own limit. */
const MAX_MESSAGE = 0x3fff_ffff;

/** Splits a stream into messages. */
export class Messages {
  #pieces: Buffer[] = [];
  #length = 0;

  /** Returns complete messages. */
  push(piece: Buffer): Message[] {
    this.#add(piece);
    const found: Message[] = [];
    for (;;) {
      if (this.#length < 5) return found;
      const header = this.#peek(5);
      const length = header.readInt32BE(1);
      if (length < 4 || length > MAX_MESSAGE) throw new Error("a message has an impossible length");
      if (this.#length < length + 1) return found;
      const bytes = this.#take(length + 1);
      found.push({ type: String.fromCharCode(header[0] ?? 0), bytes });
    }
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  #peek(length: number): Buffer {
    const [first] = this.#pieces;
    if (first && first.length >= length) return first.subarray(0, length);
    this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]?.subarray(0, length) ?? Buffer.alloc(0);
  }

  #take(length: number): Buffer {
    const all = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    const bytes = all ?? Buffer.alloc(0);
    const rest = bytes.subarray(length);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return bytes.subarray(0, length);
  }
}

export function message(type: string, ...parts: Array<string | number | Buffer>): Buffer {
  const body = Buffer.concat(parts.map(encoded));
  const header = Buffer.alloc(5);
  header.write(type, 0, "latin1");
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

/** Builds a startup packet. */
export function startupPacket(parameters: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(parameters).flat();
  const body = Buffer.concat([encoded(PROTOCOL_3), ...pairs.map(encoded), Buffer.from([0])]);
  return Buffer.concat([encoded(body.length + 4), body]);
}

/** Strings end with a zero byte; numbers have four bytes. */
function encoded(part: string | number | Buffer): Buffer {
  if (typeof part === "string") return Buffer.from(`${part}\0`);
  if (typeof part !== "number") return part;
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(part);
  return bytes;
}

export function parametersOf(body: Buffer): Map<string, string> {
  const texts = body.toString("utf8").split("\0");
  const parameters = new Map<string, string>();
  for (let at = 0; at + 1 < texts.length && texts[at] !== ""; at += 2) {
    parameters.set(texts[at] ?? "", texts[at + 1] ?? "");
  }
  return parameters;
}

/** Builds an error that closes the connection, as PostgreSQL words it. */
export function fatalError(code: string, text: string): Buffer {
  return message(
    "E",
    Buffer.from("S"),
    "FATAL",
    Buffer.from("V"),
    "FATAL",
    Buffer.from("C"),
    code,
    Buffer.from("M"),
    text,
    Buffer.from([0]),
  );
}

/** Extracts code and text of an error message. */
export function errorFields(bytes: Buffer): { code: string; text: string } {
  const fields = new Map(
    bytes
      .subarray(5)
      .toString("utf8")
      .split("\0")
      .filter((field) => field !== "")
      .map((field) => [field[0] ?? "", field.slice(1)] as const),
  );
  return { code: fields.get("C") ?? "XX000", text: fields.get("M") ?? "unknown error" };
}
