import type { Dispatcher, Pool } from "undici";
import { ConfigurationError } from "./errors.js";
import type { Settings } from "./settings.js";

/** The milliseconds within which a proxy must open a tunnel, as undici gives a direct connection. */
const TUNNEL_TIMEOUT = 10_000;

/**
 * Opens the client's own dispatcher. Loads undici with the first request: many programs, such as a preview, send none.
 */
export async function openAgent({ maxConcurrency: connections, proxy }: Settings): Promise<Dispatcher> {
  const { Agent, Pool, ProxyAgent } = await import("undici");
  if (proxy === undefined) return requireDispatch(new Agent({ connections }));
  const clientFactory = (origin: URL, options: object) =>
    withTunnelErrors(new Pool(origin, { ...options, headersTimeout: TUNNEL_TIMEOUT }));
  return requireDispatch(new ProxyAgent({ connections, uri: proxy, clientFactory }));
}

/**
 * Returns a dispatcher that can send requests. Bun replaces undici by a module of its own, whose agents cannot.
 *
 * @throws ConfigurationError in such a runtime. Nothing was sent.
 */
export function requireDispatch<D extends object>(dispatcher: D): D {
  if ("dispatch" in dispatcher && typeof dispatcher.dispatch === "function") return dispatcher;
  throw new ConfigurationError({
    message:
      "This runtime replaces undici by a module without `dispatch`, which the client needs; nothing was sent.",
    advice: "Set the option `fetch: fetch`, or run the program with Node.js 20.18.1 or later.",
  });
}

/**
 * Gives the failures of a tunnel a code of their own. After a closed socket (`UND_ERR_SOCKET`), undici connects again at
 * once and without end, because it takes the socket for a connection to the service that had been idle.
 */
function withTunnelErrors(proxy: Pool): Dispatcher {
  const connect = proxy.connect.bind(proxy);
  return Object.assign(proxy, {
    async connect(options: Dispatcher.ConnectOptions) {
      try {
        return await connect(options);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : "unknown reason";
        throw Object.assign(new Error(`the proxy opened no tunnel: ${reason}`, { cause }), {
          code: "PROXY_FAILED",
        });
      }
    },
  });
}
