import { connect } from "node:http2";

/** Between a lost connection and the next look at an engine that did answer, in milliseconds. */
const PAUSE = 1_000;

/**
 * Calls `end` when the engine has gone. Its host of providers outlives an engine that was killed, and would send what
 * is still waiting for its turn (a retry, the next step of an update) into the next run, recorded by nobody.
 *
 * @param address - Where the engine listens, as `host:port`.
 */
export function watchEngine(address: string, end: () => void): void {
  const look = (reached: boolean) => {
    let connected = false;
    // A gRPC server takes an HTTP/2 connection without requests; anything less would hold up its end.
    const session = connect(`http://${address}`);
    session.once("connect", () => {
      connected = true;
    });
    session.on("error", () => undefined);
    session.once("close", () => {
      if (connected) setTimeout(look, reached ? PAUSE : 0, true).unref();
      // Where it was never reached, nothing can be told.
      else if (reached) end();
    });
    session.unref();
  };
  look(false);
}
