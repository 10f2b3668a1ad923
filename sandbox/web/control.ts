/** What the sandbox tells under `/_sandbox/`; the server is of the same version as this page. */
export interface Resource {
  readonly kind: string;
  readonly id: string;
  readonly tenant: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Request {
  readonly requestId: string;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly tenant?: string;
  readonly status?: number;
  readonly fault?: string;
  readonly durationMs: number;
  readonly requestBody?: unknown;
  readonly responseBody?: unknown;
}

export interface Message {
  readonly id: string;
  readonly sender: string;
  readonly subject: string;
  readonly otp_code?: string;
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Delivery {
  readonly id: string;
  readonly url: string;
  readonly event: string;
  readonly status: string;
  readonly body: string;
  readonly attempts: ReadonlyArray<{
    readonly at: string;
    readonly status_code?: number;
    readonly error?: string;
  }>;
}

export interface Backup {
  readonly backup_id: string;
  readonly tenant: string;
  readonly database_name: string;
  readonly status: string;
  readonly simulated: boolean;
  readonly started_at: string;
  readonly expires_at?: string;
  readonly bytes?: number;
  readonly dump?: string;
}

export interface Fault {
  readonly id: string;
  readonly fault: Readonly<Record<string, unknown>>;
  readonly struck: number;
}

export interface ClockState {
  readonly now: string;
  readonly frozen: boolean;
}

/** What is real here and what is simulated. */
export interface About {
  readonly parts: Readonly<Record<string, string>>;
}

export async function read<T>(path: string): Promise<T> {
  const response = await fetch(`/_sandbox/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Does something; says what went wrong where it did. */
export async function act(method: string, path: string, body?: unknown): Promise<string | undefined> {
  const response = await fetch(`/_sandbox/${path}`, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  return response.ok ? undefined : await response.text();
}
