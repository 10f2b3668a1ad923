// What a careful program writes by hand for links, with the result and the checks of the sdk: it checks the input, the
// status, the envelope and the type of each field, drops null, and yields camelCase links one by one. It has no
// retries, timeouts, limits of rate and size, unknown members, or recognition of repeated items; the sdk has.
import { requestsTo } from "./request.mjs";

export function connect(options) {
  const request = requestsTo(options);
  const call = async (path, body) => {
    const { statusCode, text } = await request(path, body);
    if (statusCode < 200 || statusCode > 299) throw new Error(`${path}: status ${statusCode}`);
    return envelopeOf(JSON.parse(text));
  };
  async function* links() {
    let query = "?limit=100";
    for (;;) {
      const { data, meta } = await call(`/shortener/links${query}`);
      if (!Array.isArray(data)) throw wrong("data", "an array");
      for (const item of data) yield linkOf(item);
      if (typeof meta.has_more !== "boolean") throw wrong("has_more", "a boolean");
      if (!meta.has_more) return;
      if (typeof meta.next_cursor !== "string") throw wrong("next_cursor", "a string");
      query = `?limit=100&starting_after=${encodeURIComponent(meta.next_cursor)}`;
    }
  }
  return {
    create: async (input) => linkOf((await call("/shortener/links", wireInputOf(input))).data).shortUrl,
    async list() {
      let seen = 0;
      for await (const link of links()) if (link.shortUrl !== undefined) seen += 1;
      return seen;
    },
  };
}

/** What can lead from an id to another path. */
const MISLEADING = /^\.{1,2}$|[/\\]|\p{Cc}|\p{Cs}/u;

function envelopeOf(body) {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw wrong("the body", "an object");
  const { status, data, meta } = body;
  if (status !== "success") throw wrong("status", "success");
  if (typeof meta !== "object" || meta === null) throw wrong("meta", "an object");
  if (typeof meta.request_id !== "string") throw wrong("request_id", "a string");
  if (typeof meta.timestamp !== "number") throw wrong("timestamp", "a number");
  return { data, meta };
}

function linkOf(wire) {
  if (typeof wire !== "object" || wire === null || Array.isArray(wire)) throw wrong("link", "an object");
  const { id, slug, domain, title, clicks_count: clicksCount } = wire;
  const { short_url: shortUrl, destination_url: destinationUrl, qr_code_url: qrCodeUrl } = wire;
  const { created_at: createdAt, expires_at: expiresAt, utm_source: utmSource } = wire;
  if (typeof id !== "string" || id === "" || MISLEADING.test(id)) throw wrong("id", "an id");
  if (!isTextOrAbsent(shortUrl)) throw wrong("short_url", "a string");
  if (!isTextOrAbsent(destinationUrl)) throw wrong("destination_url", "a string");
  if (!isTextOrAbsent(domain)) throw wrong("domain", "a string");
  if (!isTextOrAbsent(slug)) throw wrong("slug", "a string");
  if (!isTextOrAbsent(qrCodeUrl)) throw wrong("qr_code_url", "a string");
  if (!isAbsent(clicksCount) && !Number.isInteger(clicksCount)) throw wrong("clicks_count", "an integer");
  if (!isTextOrAbsent(createdAt)) throw wrong("created_at", "a string");
  if (!isTextOrAbsent(title)) throw wrong("title", "a string");
  if (!isTextOrAbsent(expiresAt)) throw wrong("expires_at", "a string");
  if (!isTextOrAbsent(utmSource)) throw wrong("utm_source", "a string");
  const link = { id };
  if (!isAbsent(shortUrl)) link.shortUrl = shortUrl;
  if (!isAbsent(destinationUrl)) link.destinationUrl = destinationUrl;
  if (!isAbsent(domain)) link.domain = domain;
  if (!isAbsent(slug)) link.slug = slug;
  if (!isAbsent(qrCodeUrl)) link.qrCodeUrl = qrCodeUrl;
  if (!isAbsent(clicksCount)) link.clicksCount = clicksCount;
  if (!isAbsent(createdAt)) link.createdAt = createdAt;
  if (!isAbsent(title)) link.title = title;
  if (!isAbsent(expiresAt)) link.expiresAt = expiresAt;
  if (!isAbsent(utmSource)) link.utmSource = utmSource;
  return link;
}

function wireInputOf(input) {
  const { url, domain, slug, title, expiresAt, passcode, utmSource, ...unknown } = input;
  if (Object.keys(unknown).length > 0) throw wrong(Object.keys(unknown)[0], "no such field");
  if (typeof url !== "string" || !URL.canParse(url)) throw wrong("url", "an absolute URL");
  for (const text of [domain, slug, title, expiresAt, passcode, utmSource]) {
    if (text !== undefined && typeof text !== "string") throw wrong("the input", "strings");
  }
  return { url, domain, slug, title, expires_at: expiresAt, passcode, utm_source: utmSource };
}

const isAbsent = (value) => value === undefined || value === null;
const isTextOrAbsent = (value) => typeof value === "string" || isAbsent(value);

function wrong(field, expected) {
  return new TypeError(`${field}: expected ${expected}`);
}
