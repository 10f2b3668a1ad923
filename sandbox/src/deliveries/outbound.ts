/** Whether a host name, in the form in which a URL holds it, is this machine and can be nothing else. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

const TIMEOUT_MS = 10_000;

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

export function outbound(allowsAll: boolean, closing: AbortSignal): Outbound {
  return {
    async post(url, body, headers) {
      if (!allowsAll && !isLoopback(new URL(url).hostname)) throw new OutboundRefusedError(url);
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": "cloudservices-sandbox", ...headers },
        body,
        // A redirect could lead off this machine.
        redirect: "manual",
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), closing]),
      });
      await response.body?.cancel();
      return { status: response.status };
    },
  };
}

/** What went wrong, in the words of the system: `fetch` itself only says that it failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "The request failed.";
  if (error.name === "TimeoutError") return `No answer within ${TIMEOUT_MS / 1000} seconds.`;
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
