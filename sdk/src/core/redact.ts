import { parsedJson } from "./json.js";
import type { OutgoingRequest } from "./request.js";

const REDACTED = "[secret]";

/** Members that never appear in a log or an error, in snake_case and camelCase. */
const SECRET_MEMBERS = new Set([
  "authorization",
  "passcode",
  "password",
  "secret",
  "token",
  "api_key",
  "user_data",
  "connection_uri",
  "pool_uri",
  "otp_code",
  "snippet",
  "subject",
  "html_body",
  "text_body",
  "parsed_links",
  "payload",
  "headers",
  "userData",
  "apiKey",
  "connectionUri",
  "poolUri",
  "otpCode",
  "htmlBody",
  "textBody",
  "parsedLinks",
]);

/**
 * Returns a copy for logs, without the values of secret members, without these secrets in any text, and without
 * credentials in addresses.
 */
export function redact(value: unknown, secrets: readonly string[] = []): unknown {
  if (typeof value === "string") return redactText(value, secrets);
  if (Array.isArray(value)) return value.map((member) => redact(member, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redactText(name, secrets),
      SECRET_MEMBERS.has(name) && member !== null && member !== undefined
        ? REDACTED
        : redact(member, secrets),
    ]),
  );
}

/** Returns the secrets of a request, which the service might quote in its response. */
export function secretsOf(request: OutgoingRequest): string[] {
  const key = request.headers["authorization"]?.replace(/^Bearer /, "");
  const sent = request.body === undefined ? [] : secretsIn(parsedJson(request.body));
  return key === undefined ? sent : [key, ...sent];
}

/** Returns every text below a secret member, which a service might quote in an error. */
export function secretsIn(value: unknown, covered = false): string[] {
  if (typeof value === "string") return covered ? [value] : [];
  if (typeof value === "number") return covered ? [String(value)] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    secretsIn(member, covered || SECRET_MEMBERS.has(name)),
  );
}

/** Returns a text of the service without these secrets and without credentials in addresses. */
export function redactText(text: string, secrets: readonly string[]): string {
  // The longest first, so that a secret within a secret leaves no remainder. One or two characters are no secret, and
  // replacing them would make the text unreadable.
  const ordered = secrets.filter((secret) => secret.length > 2).sort((a, b) => b.length - a.length);
  const plain = ordered.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return withoutCredentials(plain);
}

function withoutCredentials(text: string): string {
  return (
    text
      // The lengths are bounded, so that the time does not grow with the square of a long text.
      .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'<>]{0,1000}@/gi, `$1${REDACTED}@`)
      .replace(/\bBearer\s+[^\s"',;]+/gi, `Bearer ${REDACTED}`)
  );
}
