import { connect } from "node:http2";

/** The pause before reconnecting to an engine that was reachable, in milliseconds. */
const PAUSE = 1_000;

/**
 * Calls `end` when the engine has stopped. Its host of providers outlives a killed engine, and would send pending
 * requests (a retry, the next step of an update) during the next run, with no state recorded.
 *
 * @param address - The engine's address, as `host:port`.
 */
export function watchEngine(address: string, end: () => void): void {
  const look = (reached: boolean) => {
    let connected = false;
    // An HTTP/2 connection without requests: a gRPC server accepts it, and it does not delay the server's shutdown.
    const session = connect(`http://${address}`);
    session.once("connect", () => {
      connected = true;
    });
    session.on("error", () => undefined);
    session.once("close", () => {
      if (connected) setTimeout(look, reached ? PAUSE : 0, true).unref();
      // An engine that was never reached may still be running.
      else if (reached) end();
    });
    session.unref();
  };
  look(false);
}
