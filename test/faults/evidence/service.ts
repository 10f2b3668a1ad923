import type { Fields, KindName } from "./kinds.js";

/** One request to the proxy. */
export interface Exchange {
  readonly index: number;
  /** Virtual milliseconds. */
  readonly at: number;
  /** When the proxy had answered, or had cut it; absent where nothing was ever sent. */
  readonly endedAt?: number;
  /** Which provider process sent it: it changes after every kill and with every command. */
  readonly process: number;
  readonly method: string;
  /** Below the base URL, with the query. */
  readonly target: string;
  /** The path with the ids replaced: `/databases/:id`. */
  readonly route: string;
  /** Of the tenant whose key it carried, or `unknown`. */
  readonly tenant: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: unknown;
  /** What the service did with it. Absent: it never reached the service. */
  readonly service?: {
    readonly status: number;
    readonly body?: unknown;
    readonly requestId?: string;
    /** It was a request that changes something, and was carried out: a 2xx to anything but a GET. */
    readonly committed: boolean;
  };
  /** What the provider got. Absent: nothing, the connection was cut or stalled. */
  readonly sent?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** As text where it is no JSON. */
    readonly body?: unknown;
    /** The connection was cut within the body. */
    readonly cut?: true;
  };
  /** Milliseconds that `Retry-After` asks for, where the answer has it and it can be read. */
  readonly retryAfter?: number;
  /** The fault that struck it. */
  readonly fault?: string;
  /** The provider's process, or the provider itself, gave it up before the end. */
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

/** A resource that is alive at the service. */
export interface Live {
  readonly kind: KindName;
  readonly id: string;
  readonly tenant: string;
  /** In the wire's spelling, secrets included. */
  readonly fields: Fields;
}

/** Something that is not ours. */
export interface Foreign {
  readonly kind: KindName;
  readonly id: string;
  readonly tenant: string;
  /** Planted before the phase of this index began, or within it just before or after a commit of ours. */
  readonly planted: { readonly phase: number; readonly when: "before" | "during" | "after" };
  /** In what it is like ours: `name`, `slug`, `url`. Empty: in nothing. */
  readonly like: readonly string[];
  /** As it was made. */
  readonly fields: Fields;
  /** Changed or deleted by its owner (the campaign itself) after that; then it proves nothing. */
  readonly released?: true;
}
