import { closeSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";

/** Names of liveness sockets in a data folder. */
export const SOCKET_NAME = /^lock\.[\w.]+\.socket$/;

export interface LivenessSocket {
  readonly name: string;
  close(): Promise<void>;
}

/**
 * Listens on a socket in a folder until this process ends in any way. Any process on this machine that sees the
 * folder can check it, even from another container.
 * @returns `undefined` where this is unsupported: outside Linux, or on a file system without sockets.
 */
export async function openLivenessSocket(folder: string, name: string): Promise<LivenessSocket | undefined> {
  if (process.platform !== "linux") return undefined;
  const descriptor = openSync(folder, "r");
  const server = createServer((socket) => socket.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path: pathIn(descriptor, name), exclusive: true }, resolve);
    });
  } catch {
    closeSync(descriptor);
    return undefined;
  }
  server.on("error", () => {});
  server.unref();
  return {
    name,
    async close() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      closeSync(descriptor);
      await rm(join(folder, name), { force: true });
    },
  };
}

/** Returns whether a process listens on the socket; `undefined` if unknown. */
export async function isListening(folder: string, name: string): Promise<boolean | undefined> {
  const descriptor = openSync(folder, "r");
  try {
    return await new Promise<boolean | undefined>((resolve) => {
      const socket = createConnection(pathIn(descriptor, name));
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", (error) => {
        resolve("code" in error && error.code === "ECONNREFUSED" ? false : undefined);
      });
    });
  } finally {
    closeSync(descriptor);
  }
}

/** Shortens the path: a socket's address is limited to about a hundred bytes. */
function pathIn(descriptor: number, name: string): string {
  return `/proc/self/fd/${descriptor}/${name}`;
}
