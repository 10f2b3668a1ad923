import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { withDeadline } from "../../core/deadline.js";
import { isLoopback, isThisMachine } from "../../core/network-addresses.js";
import { send, type Target } from "./send.js";

/** The target is not allowed. */
export class OutboundRefusedError extends Error {
  constructor(url: string, why: string) {
    super(`Not sent to ${new URL(url).host}: ${why}.`);
  }
}

export interface Outbound {
  /**
   * Sends a POST request.
   * @throws OutboundRefusedError where the target is not allowed; another error where it cannot be reached.
   */
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<{ status: number }>;
  /** Whether a host, as a URL spells it, is this machine or one of the allowed hosts. */
  isNear(hostname: string): boolean;
}

export interface OutboundOptions {
  /** Whether requests may leave this machine. */
  readonly allowsAll: boolean;
  /** Hosts beside this machine that requests may always reach, as a URL spells them. */
  readonly hosts?: readonly string[];
  readonly closing: AbortSignal;
  /** Returns the ports that the sandbox listens on. */
  readonly ownPorts: () => readonly number[];
  /** Resolves a host name; by default with the system's resolver. */
  readonly addressesOf?: (host: string) => Promise<Target["addresses"]>;
  /** Timeout in real milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
}

/** Creates the sender of webhooks, mail pushes and relayed payloads. */
export function createOutbound({
  allowsAll,
  hosts = [],
  closing,
  ownPorts,
  addressesOf = (host) => lookup(host, { all: true }),
  timeoutMs = 10_000,
}: OutboundOptions): Outbound {
  const allowed = new Set(hosts);
  const isNear = (hostname: string) => isLoopback(hostname) || allowed.has(hostname);
  return {
    isNear,
    async post(url, body, headers) {
      const { hostname } = new URL(url);
      if (!allowsAll && !isNear(hostname)) throw outboundOffError(url);
      return withDeadline(timeoutMs, closing, async (signal) => {
        const target = await orAborted(signal, resolveTarget(url, addressesOf));
        for (const { address } of target.addresses) {
          if (!isThisMachine(address)) {
            if (!allowsAll && !allowed.has(hostname)) throw outboundOffError(url);
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
    "the sandbox sends to this machine only, unless started with --outbound-host or --allow-outbound",
  );
}

/** Resolves once, so that the checked address is the one connected to, whatever the name resolves to later. */
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

/** Rejects when the signal aborts, for promises that cannot be aborted. */
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

/** Adds default headers where the caller set none. */
function withDefaultHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const all = new Headers(headers);
  if (!all.has("user-agent")) all.set("user-agent", "cloudservices-sandbox");
  if (!all.has("content-type")) all.set("content-type", "application/json");
  return Object.fromEntries(all);
}

/** Returns the system's error message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "The request failed.";
  // One error per attempted address.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error.message || "The request failed.";
}
