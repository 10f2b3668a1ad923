import type { Fault, SeenRequest } from "./fault.js";
import { isRecord, withBody } from "./strike.js";

/** Returns faults for every field of the response (of a list: of its items): missing, null, of another type, hostile. */
export function fields(seen: SeenRequest): Fault[] {
  const body = seen.response?.body;
  const data = isRecord(body) ? body["data"] : undefined;
  const sample = Array.isArray(data) ? data[0] : data;
  if (!isRecord(sample)) return [];
  const spoilt = (
    name: string,
    field: string,
    change: (item: Record<string, unknown>) => Record<string, unknown>,
  ): Fault => ({
    name: `${name}:${field}`,
    class: "field",
    span: "once",
    when: "instead",
    strike: withBody((envelope) => {
      if (!isRecord(envelope)) return envelope;
      const { data: real } = envelope;
      if (Array.isArray(real))
        return { ...envelope, data: real.map((item) => (isRecord(item) ? change(item) : item)) };
      return isRecord(real) ? { ...envelope, data: change(real) } : envelope;
    }),
  });
  return Object.keys(sample).flatMap((field) => [
    spoilt("field-missing", field, ({ [field]: _gone, ...rest }) => rest),
    spoilt("field-null", field, (item) => ({ ...item, [field]: null })),
    spoilt("field-type", field, (item) => ({ ...item, [field]: otherType(item[field]) })),
    ...(typeof sample[field] === "string" && PARSED.has(field)
      ? [spoilt("field-hostile", field, (item) => ({ ...item, [field]: `%${"../../?#\u0000<>%zz"}` }))]
      : []),
  ]);
}

/** Fields that a client parses, so that a hostile value matters. */
const PARSED: ReadonlySet<string> = new Set([
  "id",
  "inbox_id",
  "connection_uri",
  "pool_uri",
  "email_address",
  "created_at",
  "expires_at",
  "status",
]);

/** Masks the secrets that reads return. */
export function masked(seen: SeenRequest): Fault[] {
  const body = seen.response?.body;
  if (seen.method !== "GET" || !JSON.stringify(body ?? "").includes("connection_uri")) return [];
  return [
    {
      name: "masked",
      class: "masked",
      span: "rest",
      when: "instead",
      strike: withBody((envelope) =>
        JSON.parse(
          JSON.stringify(envelope ?? null).replace(/(postgresql:\/\/[^:"]+:)[^@"]+@/g, "$1********@"),
        ),
      ),
    },
  ];
}

const otherType = (value: unknown): unknown =>
  typeof value === "string"
    ? 17
    : typeof value === "number"
      ? "17"
      : typeof value === "boolean"
        ? "yes"
        : "something";

/** Returns values in another form, in every response of the run. */
export function normalised(): Fault[] {
  const always = (
    name: string,
    change: (item: Record<string, unknown>) => Record<string, unknown>,
  ): Fault => ({
    name: `normalised-${name}`,
    class: "normalised",
    span: "always",
    when: "instead",
    strike: withBody((envelope) => {
      if (!isRecord(envelope)) return envelope;
      const { data } = envelope;
      if (Array.isArray(data))
        return { ...envelope, data: data.map((item) => (isRecord(item) ? change(item) : item)) };
      return isRecord(data) ? { ...envelope, data: change(data) } : envelope;
    }),
  });
  const texts =
    (names: readonly string[], change: (text: string) => string) => (item: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(item).map(([name, value]) => [
          name,
          names.includes(name) && typeof value === "string" ? change(value) : value,
        ]),
      );
  return [
    always(
      "case",
      texts(["region", "engine", "plan", "name", "domain"], (text) => text.toUpperCase()),
    ),
    always(
      "url",
      texts(["destination_url", "url"], (text) => `${text}/`),
    ),
    always(
      "version",
      texts(["version"], (text) => `${text}.4`),
    ),
    always("clamped", (item) => ({
      ...item,
      ...(typeof item["ttl_minutes"] === "number" && { ttl_minutes: 45 }),
      ...(typeof item["retention_days"] === "number" && { retention_days: 5 }),
      ...(typeof item["hour_utc"] === "number" && { hour_utc: 1 }),
    })),
  ];
}
