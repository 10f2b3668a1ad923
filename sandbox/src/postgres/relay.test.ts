import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { makeCertificate } from "../core/certificate.js";
import { message, SSL_PACKET, SSL_REQUEST, startupPacket } from "./protocol.js";
import { Relay, type RelayParts } from "./relay.js";

const certificate = await makeCertificate(new Date());

/** Stands where the server is and never says anything. */
async function silentServer(): Promise<{ port: number; received: () => number }> {
  let received = 0;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}).on("data", ({ length }: Buffer) => (received += length)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: Object(server.address()).port, received: () => received };
}

async function relayTo(
  port: number,
  parts: Partial<RelayParts> = {},
): Promise<{ relay: Relay; port: number }> {
  const relay = new Relay({ certificate, port, isPooled: () => true, maxClients: 100, ...parts });
  onTestFinished(() => relay.close());
  return { relay, port: await relay.listen(0, "127.0.0.1") };
}

function plain(port: number, { allowHalfOpen = false } = {}): Socket {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends the first packet of every client, and returns the first response. */
async function requestTls(
  port: number,
  options: { allowHalfOpen?: boolean } = {},
): Promise<{ socket: Socket; response: string }> {
  const socket = plain(port, options);
  socket.write(SSL_PACKET);
  const response = await new Promise((resolve) =>
    socket.once("data", resolve).once("close", () => resolve("")),
  );
  return { socket, response: String(response) };
}

async function secure(port: number): Promise<TLSSocket> {
  const { socket } = await requestTls(port);
  const secured = connectTls({ socket, ca: certificate.certificate, host: "127.0.0.1" });
  secured.on("error", () => {});
  await new Promise((resolve) => secured.once("secureConnect", resolve));
  return secured;
}

/** What comes until the other side ends the connection. */
async function rest(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (piece: Buffer) => {
    text += piece.toString();
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

const startup = startupPacket({ user: "u", database: "d" });

test("the first packet has the size that PostgreSQL allows it, and who sends more is put out", async () => {
  const { port } = await relayTo((await silentServer()).port);
  const long = Buffer.concat([Buffer.from([0x3f, 0xff, 0xff, 0xff]), Buffer.alloc(100)]);
  for (const socket of [plain(port), await secure(port)]) {
    socket.write(long);
    expect(await rest(socket)).toBe("");
  }
});

test("what was sent before TLS is not taken for what is said within it", async () => {
  const { port } = await relayTo((await silentServer()).port);
  const socket = plain(port);
  socket.write(Buffer.concat([SSL_PACKET, startup]));
  expect(await rest(socket)).toBe("");
  expect(SSL_PACKET.readInt32BE(4)).toBe(SSL_REQUEST);
});

test("a packet may come in the smallest pieces, and a question for GSS first", async () => {
  const { port } = await relayTo(1);
  const socket = plain(port);
  socket.setNoDelay(true);
  socket.write(Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x30]));
  expect(String(await new Promise((resolve) => socket.once("data", resolve)))).toBe("N");
  const said = rest(socket);
  for (const byte of startup) {
    socket.write(Buffer.from([byte]));
    await delay(1);
  }
  expect(await said).toContain("connections without TLS are not allowed");
});

test("what clients send before they are admitted waits in their own sockets", async () => {
  const server = await silentServer();
  const { port } = await relayTo(server.port);
  const client = await secure(port);
  client.write(startup);
  let taken = 0;
  const piece = message("p", Buffer.alloc(1024 * 1024));
  for (let n = 0; n < 64; n++) client.write(piece, () => (taken += 1));
  await expect.poll(server.received).toBe(SSL_PACKET.length);
  await delay(1000);
  // Those of the system between the two are all that holds anything.
  expect(taken).toBeLessThan(32);
  expect(server.received()).toBe(SSL_PACKET.length);
});

test("clients beyond the limit are refused with PostgreSQL's own words", async () => {
  const { port } = await relayTo((await silentServer()).port, { maxClients: 3 });
  const inside = [plain(port), plain(port), plain(port)];
  await Promise.all(inside.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  expect(await rest(plain(port))).toMatch(/FATAL.*53300.*sorry, too many clients already/s);
  inside[0]?.destroy();
  await expect.poll(async () => (await requestTls(port)).response).toBe("S");
});

test("a refused client that stays does not keep the relay from closing", { timeout: 10_000 }, async () => {
  const { relay, port } = await relayTo(1, { maxClients: 0 });
  const { response } = await requestTls(port, { allowHalfOpen: true });
  expect(response).toContain("53300");
  await relay.close();
});

test("where the server does not answer, the client learns it; and whoever is on the way in can be dropped", async () => {
  const gone = await secure((await relayTo(1)).port);
  gone.write(startup);
  expect(await rest(gone)).toMatch(/08006.*the database server is not reachable/s);
  const server = await silentServer();
  const { relay, port } = await relayTo(server.port);
  const waiting = await secure(port);
  waiting.write(startup);
  await expect.poll(server.received).toBe(SSL_PACKET.length);
  relay.drop({ user: "u", database: "other" });
  relay.drop({ user: "u", database: "d" });
  expect(await rest(waiting)).toBe("");
});

test.for(["without TLS", "within TLS"])(
  "a client that was rejected %s and says goodbye does not count",
  async (how) => {
    const { port } = await relayTo(1, { maxClients: 1, isPooled: () => false });
    const rejected = how === "within TLS" ? await secure(port) : plain(port, { allowHalfOpen: true });
    rejected.write(startup);
    expect(String(await new Promise((resolve) => rejected.once("data", resolve)))).toContain("FATAL");
    rejected.end(message("X", Buffer.alloc(1024 * 1024)));
    await expect.poll(async () => (await requestTls(port)).response).toBe("S");
  },
);
