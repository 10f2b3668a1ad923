import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { type Answer, decode, encode, type Packet, streamEncode, TRUNCATED_RESPONSE } from "dns-packet";
import { onTestFinished } from "vitest";

/** Returns the response to a query: a packet, raw bytes, or none. */
export type Respond = (question: { name: string; type: string }) => Packet | Buffer | undefined;

export interface TestNameServer {
  /** In the form that `nameServers` accepts. */
  readonly address: string;
  /** Received queries, over both transports. */
  readonly asked: string[];
}

/** Returns a packet with records and a response code (RFC 1035). */
export function records(answers: Answer[], code = 0): Packet {
  return { flags: code, answers };
}

/** Starts a name server on this machine, over UDP and TCP. It truncates datagrams as real ones do. */
export async function nameServerFor(respond: Respond): Promise<TestNameServer> {
  const asked: string[] = [];
  const answerTo = (query: Buffer): Packet | Buffer | undefined => {
    const { id, questions = [] } = decode(query);
    const question = questions[0] ?? { name: "", type: "A" };
    asked.push(`${question.name} ${question.type}`);
    const packet = respond(question);
    return packet === undefined || Buffer.isBuffer(packet)
      ? packet
      : { type: "response", id, questions, ...packet };
  };
  const tcp = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes: Buffer) => {
      const packet = answerTo(bytes.subarray(2));
      if (packet === undefined) return;
      // In two parts, as a network may deliver it.
      const whole = Buffer.isBuffer(packet) ? packet : streamEncode(packet);
      socket.write(whole.subarray(0, 1));
      socket.end(whole.subarray(1));
    });
  });
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const { port } = Object(tcp.address());
  const udp = createSocket("udp4", (bytes, { port: from, address }) => {
    const packet = answerTo(bytes);
    if (packet === undefined) return;
    const whole = Buffer.isBuffer(packet) ? packet : encode(packet);
    const fits = whole.length <= 512;
    const cut = () => encode({ ...Object(packet), flags: TRUNCATED_RESPONSE, answers: [] });
    udp.send(fits ? whole : cut(), from, address);
  });
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  onTestFinished(async () => {
    udp.close();
    await new Promise((resolve) => tcp.close(resolve));
  });
  return { address: `127.0.0.1:${port}`, asked };
}
