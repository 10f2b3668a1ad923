import type { Duplex } from "node:stream";
import { MAX_STARTUP } from "./protocol.js";

/** A startup packet. */
export interface Startup {
  readonly code: number;
  /** What follows the code. */
  readonly body: Buffer;
  /** The whole packet. */
  readonly bytes: Buffer;
  /** Whether the client sent more without waiting for a response. That data stays in the stream. */
  readonly isFollowed: boolean;
}

/**
 * Reads a startup packet and pauses the stream. Buffers no more than such a packet's maximum.
 * @returns `undefined` where the stream ends early or sends something else.
 */
export function readStartup(stream: Duplex): Promise<Startup | undefined> {
  return new Promise((resolve) => {
    let read: Buffer = Buffer.alloc(0);
    const leave = (found: Startup | undefined) => {
      stream.off("data", onData).off("close", onClose).pause();
      resolve(found);
    };
    const onClose = () => leave(undefined);
    const onData = (piece: Buffer) => {
      read = Buffer.concat([read, piece]);
      if (read.length < 8) return;
      const length = read.readInt32BE(0);
      if (length < 8 || length > MAX_STARTUP) {
        leave(undefined);
        return;
      }
      if (read.length < length) return;
      const [bytes, rest] = [read.subarray(0, length), read.subarray(length)];
      leave({ code: bytes.readInt32BE(4), body: bytes.subarray(8), bytes, isFollowed: rest.length > 0 });
      if (rest.length > 0) stream.unshift(rest);
    };
    stream.on("data", onData).on("close", onClose).resume();
  });
}
