import { expect, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { type Sandbox, type SandboxOptions, startSandbox } from "../src/index.js";

// Generous, because the machine may be slow and shared.
const PATIENCE_MS = 30_000;
vi.setConfig({ testTimeout: PATIENCE_MS });

/** Polls a value and expects something of it. */
export function eventually<T>(look: () => T): ReturnType<typeof expect.poll<Awaited<T>>> {
  return expect.poll(look, { timeout: PATIENCE_MS / 2 });
}

const envelope = z.object({
  status: z.string(),
  data: z.unknown().optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  error: z
    .object({ code: z.string(), message: z.string(), field: z.string().optional(), doc_url: z.string() })
    .optional(),
});
const identified = z.object({ id: z.string().optional(), inbox_id: z.string().optional() });

export interface Reply {
  readonly status: number;
  readonly data: unknown;
  readonly meta: Record<string, unknown>;
  readonly error: { code: string; message: string; field?: string | undefined } | undefined;
  readonly headers: Headers;
  readonly text: string;
  /** The id of the resource in the response; empty if absent. */
  readonly id: string;
}

export type ApiClient = (method: string, path: string, body?: unknown) => Promise<Reply>;

/** Starts a sandbox that stops with the test. */
export async function sandboxFor(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Returns a plain client of the API. */
export function apiClientFor(sandbox: Sandbox, key: string = sandbox.apiKey): ApiClient {
  return async (method, path, body) => {
    const response = await fetch(sandbox.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return parseReply(response);
  };
}

export async function parseReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const { data, meta = {}, error } = isJson ? envelope.parse(JSON.parse(text)) : {};
  const { id, inbox_id } = identified.safeParse(data).data ?? {};
  return {
    status: response.status,
    data,
    meta,
    error,
    headers: response.headers,
    text,
    id: id ?? inbox_id ?? "",
  };
}

export const aDatabase = {
  name: "orders",
  engine: "postgresql",
  version: "16",
  plan: "db-starter-1",
  region: "eu-central-1",
};

export const aServer = { name: "web", plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };

export const aWebhook = {
  url: "https://example.com/hooks",
  events: ["vps.snapshot.completed"],
  secret: "a-shared-secret",
};
