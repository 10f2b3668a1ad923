import { z } from "zod";

const DEADLINE_MS = 5_000;

const health = z.object({ status: z.string(), parts: z.record(z.string(), z.string()) });

/** The state of a running sandbox, in one line. */
export interface Health {
  readonly isHealthy: boolean;
  readonly line: string;
}

/** Queries a sandbox for its health. Never throws. */
export async function checkHealth(url: string): Promise<Health> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const { data } = health.safeParse(await response.json().catch(() => undefined));
    if (!data)
      return { isHealthy: false, line: `${url} is no sandbox: it responded with status ${response.status}` };
    if (data.status === "ok") return { isHealthy: true, line: `${url} is healthy` };
    return {
      isHealthy: false,
      line: `${url} is ${data.status}: ${data.parts["postgresql"] ?? "see /health"}`,
    };
  } catch (error) {
    return { isHealthy: false, line: `${url} does not respond: ${reasonOf(error)}` };
  }
}

/** Returns the reason behind fetch's "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}
