import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, timestamp } from "../state/clock.js";

/** One API request. Secrets are masked before it is stored. */
export interface JournalEntry {
  readonly requestId: string;
  /** Virtual time of arrival, ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** Below the base URL, for example `/databases/db_1`; complete where `isOutside` is set. */
  readonly path: string;
  /** The request missed the base URL: it looks like one to the API, but its path does not begin with `/v1`. */
  readonly isOutside?: true;
  readonly query: Readonly<Record<string, string>>;
  /** Absent where the key was missing or invalid. */
  readonly tenant?: string;
  /** The operation's id in the OpenAPI document; absent where no endpoint matched. */
  readonly operation?: string;
  /** The sent status; absent where the connection was dropped. */
  readonly status?: number;
  /** The kind of the injected fault, if any. */
  readonly fault?: string;
  /** Real milliseconds from arrival to response. */
  readonly durationMs: number;
  readonly requestBody?: unknown;
  readonly responseBody?: unknown;
}

export interface RequestFilter {
  readonly tenant?: string;
  readonly method?: string;
  /** The beginning of the path. */
  readonly path?: string;
  /** The status of the response. */
  readonly status?: number;
}

export interface JournalFilter extends RequestFilter {
  /** Returns only the last entries. */
  readonly limit?: number;
}

const CAPACITY = 10_000;
/** Approximate memory limit of stored requests; listing them takes as much again. */
const CAPACITY_BYTES = 32 * 1024 * 1024;
const KEPT_BODY_CHARACTERS = 8_192;

/** A request as JSON text, which is several times smaller than objects. */
interface StoredRequest {
  readonly tenant: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly id: string;
  /** No endpoint matched. */
  readonly isUnmatched: boolean;
  readonly isOutside: boolean;
  readonly text: string;
  readonly bytes: number;
}

/** The last 10,000 requests, or fewer if they are large. */
export class Journal {
  #kept: StoredRequest[] = [];
  #bytes = 0;
  readonly #listeners = new Set<(entry: JournalEntry) => void>();

  add(entry: JournalEntry): void {
    const { tenant, method, path, status, requestId: id, isOutside = false } = entry;
    const text = JSON.stringify(entry);
    const bytes = bytesOf(text);
    // Other errors without an operation, such as 401, come before the endpoint is looked up.
    const isUnmatched = isOutside || (entry.operation === undefined && (status === 404 || status === 405));
    this.#kept.push({ tenant, method, path, status, id, isUnmatched, isOutside, text, bytes });
    this.#bytes += bytes;
    while (this.#kept.length > CAPACITY || this.#bytes > CAPACITY_BYTES) {
      this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    }
    for (const listener of this.#listeners) listener(entry);
  }

  list(filter: JournalFilter = {}): JournalEntry[] {
    const found = this.#kept.filter((request) => !request.isOutside && matches(request, filter));
    const first = Math.max(0, found.length - (filter.limit ?? CAPACITY));
    return found.slice(first).map(({ text }) => JSON.parse(text));
  }

  /** Lists requests that matched no endpoint, oldest first: of one tenant and of unknown callers, or of all. */
  unmatched(tenant?: string): JournalEntry[] {
    return this.#kept
      .filter((request) => request.isUnmatched)
      .filter((request) => tenant === undefined || (request.tenant ?? tenant) === tenant)
      .map(({ text }) => JSON.parse(text));
  }

  /** Returns the first matching request after the one with the id `after`, or of all that are kept. */
  first(filter: RequestFilter, after?: string): JournalEntry | undefined {
    const start = after === undefined ? 0 : this.#kept.findLastIndex(({ id }) => id === after) + 1;
    const found = this.#kept.slice(start).find((request) => !request.isOutside && matches(request, filter));
    return found && JSON.parse(found.text);
  }

  clear(tenant?: string): void {
    this.#kept = tenant === undefined ? [] : this.#kept.filter((request) => request.tenant !== tenant);
    this.#bytes = this.#kept.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Calls the listener for every request; the returned function unsubscribes it. */
  watch(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function matches(
  request: Pick<StoredRequest, "tenant" | "method" | "path" | "status">,
  { tenant, method, path, status }: RequestFilter,
): boolean {
  return (
    (tenant === undefined || request.tenant === tenant) &&
    (method === undefined || request.method === method) &&
    (path === undefined || request.path.startsWith(path)) &&
    (status === undefined || request.status === status)
  );
}

/** Estimates memory as text or as objects, whichever is larger; the smallest object takes 56 bytes. */
function bytesOf(text: string): number {
  return text.length + 56 * (text.match(/[[{]/g)?.length ?? 0);
}

/**
 * Records a response that says that there is no such short link, where the request was not a visit: it has a key, or a
 * method that no visitor uses. Its base URL probably lacks `/v1`.
 */
export function recordOutside(
  journal: Journal,
  clock: Clock,
  { method = "GET", headers }: IncomingMessage,
  { statusCode: status }: ServerResponse,
  { pathname: path, searchParams }: URL,
): void {
  const isVisit = headers.authorization === undefined && ["GET", "HEAD", "POST"].includes(method);
  if (isVisit || (status !== 404 && status !== 405)) return;
  const [requestId, time] = [`outside_${randomUUID()}`, timestamp(clock.now())];
  const query = queryForJournal(searchParams);
  journal.add({ requestId, time, method, path, isOutside: true, query, status, durationMs: 0 });
}

const MASK = "[secret]";
/** Secret names of the API and of relayed headers, without hyphens and underscores. */
const SECRET_NAME =
  /(authorization|cookie|connectionuri|otpcode|pass(code|phrase|wd|word)|pooluri|secret|signature|token|userdata|(access|api|auth|private)key)$/;

function isSecret(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replace(/[-_]/g, ""));
}

/** Returns a copy with `[secret]` in place of secret values. */
export function maskSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecret(name) && member !== null && member !== undefined ? MASK : maskSecrets(member),
    ]),
  );
}

/** Returns a query for the journal, with secrets masked. */
export function queryForJournal(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].map(([name, value]) => [name, isSecret(name) ? MASK : value]));
}

/** Returns a body for the journal: masked, and omitted if too long. */
export function bodyForJournal(body: unknown): unknown {
  if (body === undefined) return undefined;
  const shown = maskSecrets(body);
  const text = JSON.stringify(shown);
  return text.length <= KEPT_BODY_CHARACTERS ? shown : `(${text.length} characters, not kept)`;
}
