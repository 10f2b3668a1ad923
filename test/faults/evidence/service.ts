import type { Fields, KindName } from "./kinds.js";

/** One request to the proxy. */
export interface Exchange {
  readonly index: number;
  /** Virtual milliseconds. */
  readonly at: number;
  /** When the proxy had sent the response or cut the connection. Absent: neither. */
  readonly endedAt?: number;
  /** The provider process that sent it: another after every kill and for every command. */
  readonly process: number;
  readonly method: string;
  /** The path below the base URL, with the query. */
  readonly target: string;
  /** The path with the ids replaced: `/databases/:id`. */
  readonly route: string;
  /** The tenant of its key, or `unknown`. */
  readonly tenant: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: unknown;
  /** The service's response. Absent: the request never reached the service. */
  readonly service?: {
    readonly status: number;
    readonly body?: unknown;
    readonly requestId?: string;
    /** The service changed something: a 2xx to any method but GET. */
    readonly committed: boolean;
  };
  /** What the provider received. Absent: nothing, because the connection was cut or stalled. */
  readonly sent?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** Text if it is not JSON. */
    readonly body?: unknown;
    /** The connection was cut in the middle of the body. */
    readonly cut?: true;
  };
  /** A valid `Retry-After` in milliseconds. */
  readonly retryAfter?: number;
  /** The fault that struck it. */
  readonly fault?: string;
  /** The provider closed the connection before the response. */
  readonly abandoned?: true;
}

/** A record of the sandbox's journal. */
export interface JournalRecord {
  readonly requestId: string;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly tenant?: string;
  readonly operation?: string;
  readonly status?: number;
  readonly requestBody?: unknown;
  readonly responseBody?: unknown;
}

/** A resource at the service. */
export interface Live {
  readonly kind: KindName;
  readonly id: string;
  readonly tenant: string;
  /** With wire names, and with secrets. */
  readonly fields: Fields;
}

/** A resource of another owner. */
export interface Foreign {
  readonly kind: KindName;
  readonly id: string;
  readonly tenant: string;
  /** Planted before the phase of this index, or in it just before or after a commit of ours. */
  readonly planted: { readonly phase: number; readonly when: "before" | "during" | "after" };
  /** The fields in which it is like ours, such as `name`, `slug` or `url`. */
  readonly like: readonly string[];
  /** Its fields at creation. */
  readonly fields: Fields;
  /** Its owner (the campaign) has changed or deleted it since, so it proves nothing. */
  readonly released?: true;
}
