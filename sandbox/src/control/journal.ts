/** One request as the sandbox saw it. Secrets are masked before anything is kept. */
export interface JournalEntry {
  readonly requestId: string;
  /** Virtual time of arrival, ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** Below the base URL, for example `/databases/db_1`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Absent where the key was missing or invalid. */
  readonly tenant?: string;
  /** The operation's id in the OpenAPI document; absent where no endpoint matched. */
  readonly operation?: string;
  /** The status that was sent; absent where the connection was dropped instead. */
  readonly status?: number;
  /** The kind of the injected fault, where one struck. */
  readonly fault?: string;
  /** Real milliseconds from arrival to answer. */
  readonly durationMs: number;
  readonly requestBody?: unknown;
  readonly responseBody?: unknown;
}

export interface JournalFilter {
  readonly tenant?: string;
  readonly method?: string;
  /** Beginning of the path. */
  readonly path?: string;
}

const CAPACITY = 10_000;
const KEPT_BODY_CHARACTERS = 8_192;

/** The last 10,000 requests. */
export class Journal {
  #entries: JournalEntry[] = [];
  readonly #listeners = new Set<(entry: JournalEntry) => void>();

  add(entry: JournalEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > 2 * CAPACITY) this.#entries = this.#entries.slice(-CAPACITY);
    for (const listener of this.#listeners) listener(entry);
  }

  list(filter: JournalFilter = {}): JournalEntry[] {
    return this.#entries
      .slice(-CAPACITY)
      .filter(
        (entry) =>
          (filter.tenant === undefined || entry.tenant === filter.tenant) &&
          (filter.method === undefined || entry.method === filter.method) &&
          (filter.path === undefined || entry.path.startsWith(filter.path)),
      );
  }

  clear(tenant?: string): void {
    this.#entries = tenant === undefined ? [] : this.#entries.filter((entry) => entry.tenant !== tenant);
  }

  /** Called for every request as it is answered; the returned function ends that. */
  watch(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const MASK = "********";
const SECRET_FIELDS = new Set([
  "passcode",
  "password",
  "secret",
  "connection_uri",
  "pool_uri",
  "user_data",
  "otp_code",
  "authorization",
]);

/** A copy in which the values of secret fields are `********`. */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_FIELDS.has(name.toLowerCase()) && member !== null ? MASK : masked(member),
    ]),
  );
}

/** What the journal keeps of a query: a secret may stand there by mistake. */
export function keptQuery(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...query].map(([name, value]) => [name, SECRET_FIELDS.has(name.toLowerCase()) ? MASK : value]),
  );
}

/** What the journal keeps of a body: masked, and not more than is useful to look at. */
export function kept(body: unknown): unknown {
  if (body === undefined) return undefined;
  const shown = masked(body);
  const text = JSON.stringify(shown);
  return text.length <= KEPT_BODY_CHARACTERS ? shown : `(${text.length} characters, not kept)`;
}
