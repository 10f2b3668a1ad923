import { withDeadline } from "../deadline.js";

/** Whether a host name, in the form in which a URL holds it, is this machine and can be nothing else. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** The sandbox sends nothing off this machine unless it is told to. */
export class OutboundRefusedError extends Error {
  constructor(url: string) {
    super(
      `Nothing was sent to ${new URL(url).host}: the sandbox sends to this machine only, unless it is started with --allow-outbound.`,
    );
  }
}

export interface Outbound {
  /** @throws OutboundRefusedError where the target is not allowed; another error where it cannot be reached. */
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<{ status: number }>;
}

/** @param timeoutMs - How long a target may take to answer; real milliseconds, 10,000 by default. */
export function outbound(allowsAll: boolean, closing: AbortSignal, timeoutMs = 10_000): Outbound {
  return {
    async post(url, body, headers) {
      if (!allowsAll && !isLoopback(new URL(url).hostname)) throw new OutboundRefusedError(url);
      return withDeadline(timeoutMs, closing, async (signal) => {
        const response = await fetch(url, {
          method: "POST",
          headers: completed(headers),
          body,
          // A redirect could lead off this machine.
          redirect: "manual",
          signal,
        });
        await response.body?.cancel();
        return { status: response.status };
      });
    },
  };
}

/** What the caller says of itself stands, in whatever case. */
function completed(headers: Readonly<Record<string, string>>): Headers {
  const all = new Headers(headers);
  if (!all.has("user-agent")) all.set("user-agent", "cloudservices-sandbox");
  if (!all.has("content-type")) all.set("content-type", "application/json");
  return all;
}

/** What went wrong, in the words of the system: `fetch` itself only says that it failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "The request failed.";
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
