import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { withDeadline } from "../../core/deadline.js";
import { isLoopback, isThisMachine } from "../../core/network-addresses.js";
import { send, type Target } from "./send.js";

/** The sandbox does not send there. */
export class OutboundRefusedError extends Error {
  constructor(url: string, why: string) {
    super(`Nothing was sent to ${new URL(url).host}: ${why}.`);
  }
}

export interface Outbound {
  /** @throws OutboundRefusedError where the target is not allowed; another error where it cannot be reached. */
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<{ status: number }>;
}

export interface OutboundOptions {
  /** Whether anything may leave this machine. */
  readonly allowsAll: boolean;
  readonly closing: AbortSignal;
  /** The ports on which the sandbox itself listens, as they are at the moment. */
  readonly ownPorts: () => readonly number[];
  /** Resolves a name; the system's resolver by default. */
  readonly addressesOf?: (host: string) => Promise<Target["addresses"]>;
  /** How long a target may take to respond; real milliseconds, 10,000 by default. */
  readonly timeoutMs?: number;
}

/** Sends webhooks, mail pushes and what is relayed. */
export function createOutbound({
  allowsAll,
  closing,
  ownPorts,
  addressesOf = (host) => lookup(host, { all: true }),
  timeoutMs = 10_000,
}: OutboundOptions): Outbound {
  return {
    async post(url, body, headers) {
      if (!allowsAll && !isLoopback(new URL(url).hostname)) throw outboundOffError(url);
      return withDeadline(timeoutMs, closing, async (signal) => {
        const target = await orAborted(signal, resolveTarget(url, addressesOf));
        for (const { address } of target.addresses) {
          if (!isThisMachine(address)) {
            if (!allowsAll) throw outboundOffError(url);
          } else if (ownPorts().includes(portOf(target.url))) {
            throw new OutboundRefusedError(url, "that is the sandbox itself");
          }
        }
        return { status: await send(target, body, withDefaultHeaders(headers), signal) };
      });
    },
  };
}

function outboundOffError(url: string): OutboundRefusedError {
  return new OutboundRefusedError(
    url,
    "the sandbox sends to this machine only, unless it is started with --allow-outbound",
  );
}

/** Resolved once: what is checked is what is connected to, and a name cannot mean something else in between. */
async function resolveTarget(
  address: string,
  addressesOf: (host: string) => Promise<Target["addresses"]>,
): Promise<Target> {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  return { url, addresses: family === 0 ? await addressesOf(host) : [{ address: host, family }] };
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

/** Gives up at the deadline what cannot be aborted itself. */
async function orAborted<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** What the caller says of itself stands, in whatever case. */
function withDefaultHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const all = new Headers(headers);
  if (!all.has("user-agent")) all.set("user-agent", "cloudservices-sandbox");
  if (!all.has("content-type")) all.set("content-type", "application/json");
  return Object.fromEntries(all);
}

/** What went wrong, in the words of the system. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "The request failed.";
  // Of several addresses, each with its own error.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error.message || "The request failed.";
}
