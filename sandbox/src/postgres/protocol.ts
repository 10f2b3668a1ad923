/** As much of PostgreSQL's wire protocol (version 3) as a pooler needs. */

export const SSL_REQUEST = 80877103;
export const GSS_REQUEST = 80877104;
export const CANCEL_REQUEST = 80877102;
export const PROTOCOL_3 = 196608;

/** A message of the normal phase: one type byte, four bytes of length, the rest. */
export interface Message {
  readonly type: string;
  /** The whole message as it was sent. */
  readonly bytes: Buffer;
}

/** Longer messages than PostgreSQL itself takes. */
const MAX_MESSAGE = 0x3fff_ffff;

/** Cuts what arrives into messages, whatever pieces it arrives in. */
export class Messages {
  #pieces: Buffer[] = [];
  #length = 0;

  /** Whole messages of the normal phase. */
  push(piece: Buffer): Message[] {
    this.#add(piece);
    const found: Message[] = [];
    for (;;) {
      if (this.#length < 5) return found;
      const header = this.#peek(5);
      const length = header.readInt32BE(1);
      if (length < 4 || length > MAX_MESSAGE) throw new ProtocolError("a message has an impossible length");
      if (this.#length < length + 1) return found;
      const bytes = this.#take(length + 1);
      found.push({ type: String.fromCharCode(header[0] ?? 0), bytes });
    }
  }

  /** The first packet of a connection, which has no type byte; `undefined` until it is there. */
  startup(piece: Buffer): { code: number; body: Buffer } | undefined {
    this.#add(piece);
    if (this.#length < 8) return undefined;
    const length = this.#peek(4).readInt32BE(0);
    if (length < 8 || length > 10_000) throw new ProtocolError("the startup packet has an impossible length");
    if (this.#length < length) return undefined;
    const packet = this.#take(length);
    return { code: packet.readInt32BE(4), body: packet.subarray(8) };
  }

  get isEmpty(): boolean {
    return this.#length === 0;
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

export class ProtocolError extends Error {}

export function message(type: string, ...parts: Array<string | number | Buffer>): Buffer {
  const body = Buffer.concat(parts.map(encoded));
  const header = Buffer.alloc(5);
  header.write(type, 0, "latin1");
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

/** The packet that opens a connection. */
export function startupPacket(parameters: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(parameters).flat();
  const body = Buffer.concat([encoded(PROTOCOL_3), ...pairs.map(encoded), Buffer.from([0])]);
  return Buffer.concat([encoded(body.length + 4), body]);
}

export function cancelPacket(key: Buffer): Buffer {
  return Buffer.concat([encoded(16), encoded(CANCEL_REQUEST), key]);
}

/** A string ends with a zero byte; a number has four bytes. */
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

/** An error that ends the connection, as PostgreSQL itself would word it. */
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

/** The text of an error that a server sent. */
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
