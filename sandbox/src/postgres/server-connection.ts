import { connect, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Certificate } from "../core/certificate.js";
import { SSL_PACKET } from "./protocol.js";

const HOST = "127.0.0.1";

/**
 * Connects a client to the server over TLS, which the server requires. The connection ends with the client.
 * @throws Where the server does not respond.
 */
export async function connectToServer(
  port: number,
  { certificate }: Certificate,
  client: Socket,
): Promise<TLSSocket> {
  const socket = connect({ host: HOST, port, noDelay: true });
  const end = () => void socket.destroy();
  client.once("close", end);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the server closed the connection")));
      socket.once("data", (answer: Buffer) => {
        if (answer.toString("latin1") === "S") resolve();
        else reject(new Error("the server does not want TLS"));
      });
      socket.write(SSL_PACKET);
    });
    const secure = connectTls({ socket, ca: certificate, host: HOST });
    await new Promise<void>((resolve, reject) => {
      secure.once("secureConnect", resolve);
      secure.once("error", reject);
      secure.once("close", () => reject(new Error("the server closed the connection")));
    });
    secure.on("error", () => secure.destroy());
    if (client.destroyed) throw new Error("the client disconnected");
    return secure;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    client.off("close", end);
  }
}

/** Forwards a cancel request. Resolves when the server has handled it, or is unreachable. */
export function forwardCancel(port: number, packet: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    // The server closes the connection after the request.
    socket.resume().write(packet);
  });
}
