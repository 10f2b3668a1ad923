import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { getServers } from "node:dns";
import { on, once } from "node:events";
import { connect, isIP, isIPv6 } from "node:net";
import type { DecodedPacket, RecordType } from "dns-packet";
import { withDeadline } from "../../core/deadline.js";
import { type DnsRecord, toRecord } from "./records.js";

export interface NameServer {
  readonly host: string;
  readonly port: number;
}

/** Parses `9.9.9.9`, `9.9.9.9:53`, `2620:fe::fe` or `[2620:fe::fe]:53`; returns `undefined` for anything else. */
export function parseNameServer(text: string): NameServer | undefined {
  if (isIP(text) !== 0) return { host: text, port: 53 };
  const match = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? "";
  const port = Number(match?.[3]);
  return isIP(host) !== 0 && port > 0 && port < 65_536 ? { host, port } : undefined;
}

/** Returns the system's name servers. */
export function systemNameServers(): NameServer[] {
  return getServers().flatMap((server) => parseNameServer(server) ?? []);
}

/** No name server gave a usable response; a retry may help. */
export class NameServerError extends Error {}

interface Timeouts {
  /** Limit of one query to one server. */
  readonly tryMs: number;
  /** Limit of all queries together. */
  readonly totalMs: number;
}

/** From RFC 1035 and 6891. Other codes are shown as numbers. */
const responseCodes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

/**
 * Queries recursive name servers in order, twice. `node:dns` is not used, because it returns TTLs of addresses only,
 * and no aliases.
 */
export class NameServers {
  readonly #servers: readonly NameServer[];
  readonly #closing: AbortSignal;
  readonly #patience: Timeouts;

  constructor(
    servers: readonly NameServer[],
    closing: AbortSignal,
    patience: Timeouts = { tryMs: 2000, totalMs: 5000 },
  ) {
    this.#servers = servers;
    this.#closing = closing;
    this.#patience = patience;
  }

  /**
   * Returns the records of a name and the aliases that lead to them; none where the name or the record does not
   * exist.
   * @throws NameServerError where no server responds usably in time.
   */
  async query(name: string, type: RecordType): Promise<DnsRecord[]> {
    return withDeadline(this.#patience.totalMs, this.#closing, (total) => this.#askAll(name, type, total));
  }

  async #askAll(name: string, type: RecordType, total: AbortSignal): Promise<DnsRecord[]> {
    let problem = "this machine has no name server";
    for (const server of [...this.#servers, ...this.#servers]) {
      if (total.aborted) break;
      try {
        const packet = await withDeadline(this.#patience.tryMs, total, (signal) =>
          sendQuery(server, name, type, signal),
        );
        const code = (packet.flags ?? 0) & 15;
        if (code === 0 || code === 3) {
          const wanted = (packet.answers ?? []).flatMap((answer) => toRecord(answer) ?? []);
          return wanted.filter((record) => record.type === type || record.type === "CNAME");
        }
        problem = `${server.host} responded ${responseCodes[code] ?? code}`;
      } catch (error) {
        problem = `${server.host} ${reasonOf(error)}`;
      }
    }
    throw new NameServerError(`No name server returned the ${type} records of ${name}: ${problem}.`);
  }
}

async function sendQuery(
  server: NameServer,
  name: string,
  type: RecordType,
  signal: AbortSignal,
): Promise<DecodedPacket> {
  const { decode, encode, RECURSION_DESIRED } = await import("dns-packet");
  const id = randomInt(65_536);
  const query = encode({ type: "query", id, flags: RECURSION_DESIRED, questions: [{ type, name }] });
  const isAnswer = (bytes: Buffer) => {
    const { id: answered, flag_qr, questions } = decode(bytes);
    const asked = questions?.[0];
    return (
      flag_qr && answered === id && asked?.type === type && asked.name.toLowerCase() === name.toLowerCase()
    );
  };
  const first = decode(await overUdp(server, query, isAnswer, signal));
  if (!first.flag_tc) return first;
  return decode(await overTcp(server, query, isAnswer, signal));
}

async function overUdp(
  { host, port }: NameServer,
  query: Buffer,
  isAnswer: (bytes: Buffer) => boolean,
  signal: AbortSignal,
): Promise<Buffer> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  try {
    // Connected, so that the system drops packets from other senders.
    socket.connect(port, host);
    await once(socket, "connect", { signal });
    const messages = on(socket, "message", { signal });
    socket.send(query);
    for await (const [bytes] of messages) if (Buffer.isBuffer(bytes) && isAnswer(bytes)) return bytes;
    throw new Error("ended without a response");
  } finally {
    socket.close();
  }
}

/** Queries over TCP, for responses too large for a datagram. A length precedes each message (RFC 1035, 4.2.2). */
async function overTcp(
  { host, port }: NameServer,
  query: Buffer,
  isAnswer: (bytes: Buffer) => boolean,
  signal: AbortSignal,
): Promise<Buffer> {
  const socket = connect({ host, port, signal });
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.length);
    socket.write(Buffer.concat([length, query]));
    let read = Buffer.alloc(0);
    for await (const part of socket) {
      read = Buffer.concat([read, part]);
      const message = read.subarray(2);
      if (read.length < 2 || message.length < read.readUInt16BE(0)) continue;
      const bytes = message.subarray(0, read.readUInt16BE(0));
      if (isAnswer(bytes)) return bytes;
      break;
    }
    throw new Error("ended without a response");
  } finally {
    socket.destroy();
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "could not be queried";
  const name = error.cause instanceof Error ? error.cause.name : error.name;
  if (name === "TimeoutError" || name === "AbortError") return "did not respond in time";
  return "code" in error ? `could not be reached (${String(error.code)})` : "sent an unreadable response";
}
