import type { JournalEntry } from "cloudservices-sandbox";

interface Shown {
  readonly query?: readonly string[];
  readonly body?: readonly string[];
}

/**
 * The requests that the specification shows, under "Endpoints" and "Resources and their fields", copied by hand,
 * independently of the sdk, the provider and the sandbox.
 */
const shown: Readonly<Record<string, Shown>> = {
  "POST /shortener/links": {
    body: ["url", "domain", "slug", "title", "expires_at", "passcode", "utm_source"],
  },
  "GET /shortener/links": { query: ["limit", "starting_after"] },
  "GET /shortener/links/:id/analytics": { query: ["timeframe"] },
  "GET /shortener/links/:id/qr.svg": { query: ["color", "bg", "size"] },
  "POST /databases": {
    body: ["name", "engine", "version", "plan", "region", "enable_connection_pool", "vpc_id"],
  },
  "PUT /databases/:id/backup-schedule": {
    body: ["frequency", "hour_utc", "retention_days", "notify_on_complete"],
  },
  "POST /webhooks": { body: ["url", "events", "secret"] },
  "POST /vps/instances": {
    body: ["name", "plan", "region", "image", "ssh_keys", "backups_enabled", "user_data"],
  },
  "POST /vps/instances/:id/actions": { body: ["action"] },
  "POST /tempmail/inboxes": { body: ["prefix", "domain", "ttl_minutes", "webhook_url"] },
  "GET /tempmail/inboxes/:id/messages": {},
  "GET /tempmail/messages/:id": {},
  "GET /utils/ip/:id": {},
  "GET /utils/dns": { query: ["name", "type"] },
  "POST /utils/webhooks/relay": { body: ["target_url", "payload", "headers"] },
};

function shownFor({ method, path }: JournalEntry): Shown | undefined {
  const found = Object.entries(shown).find(([request]) =>
    new RegExp(`^${request.replace(/:id/g, "[^/]+")}$`).test(`${method} ${path}`),
  );
  return found?.[1];
}

const namesIn = (value: unknown): string[] =>
  typeof value === "object" && value !== null ? Object.keys(value) : [];

/** Returns what the specification does not show in these requests: the request itself, a query or a body field. */
export function beyondSpecification(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry) => {
    const request = `${entry.method} ${entry.path}`;
    const known = shownFor(entry);
    if (!known) return [request];
    const more = [
      ...namesIn(entry.query).filter((name) => !known.query?.includes(name)),
      ...namesIn(entry.requestBody).filter((name) => !known.body?.includes(name)),
    ];
    return more.map((name) => `${request}: ${name}`);
  });
}
