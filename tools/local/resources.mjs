/**
 * A resource of the Cloud Services API in the engine's state, with its secrets in plain text.
 *
 * @typedef {object} Resource
 * @property {string} kind `Link`, `Database`, …
 * @property {string} name
 * @property {string} id
 * @property {Record<string, unknown>} outputs
 */

/** The key that marks a secret in a state (`specialSigKey` in `@pulumi/pulumi/runtime`). */
const signature = "4dabf18193072939515e22adb298388d";

/**
 * Parses the output of `pulumi stack export --show-secrets`, and sorts it by kind and name.
 *
 * @param {string} exported
 * @returns {Resource[]}
 */
export function resourcesIn(exported) {
  /** @type {{ type: string, urn: string, id?: string, outputs?: Record<string, unknown>, delete?: boolean }[]} */
  const resources = JSON.parse(exported).deployment?.resources ?? [];
  return resources
    .filter(({ type, delete: replaced }) => type.includes("dynamic/cloudservices:") && !replaced)
    .map(({ type, urn, id = "", outputs = {} }) => ({
      kind: type.split(":").at(-1) ?? type,
      name: urn.split("::").slice(3).join("::"),
      id,
      outputs: Object.fromEntries(Object.entries(outputs).map(([key, value]) => [key, plainValue(value)])),
    }))
    .sort((one, other) => `${one.kind} ${one.name}`.localeCompare(`${other.kind} ${other.name}`, "en"));
}

/**
 * Returns the names of the resources that a killed engine was working on.
 *
 * @param {string} exported
 * @returns {string[]}
 */
export function interruptedIn(exported) {
  /** @type {{ resource: { urn: string } }[]} */
  const pending = JSON.parse(exported).deployment?.pending_operations ?? [];
  return pending.map(({ resource }) => resource.urn.split("::").slice(-2).join(" ").replace(/^.*:/, ""));
}

/** @param {unknown} value */
function plainValue(value) {
  if (typeof value !== "object" || value === null || !(signature in value)) return value;
  return "plaintext" in value && typeof value.plaintext === "string"
    ? JSON.parse(value.plaintext)
    : undefined;
}

/**
 * Returns one line about a resource, without secrets.
 *
 * @param {Resource} resource
 */
export function summaryOf({ kind, outputs }) {
  const text = (/** @type {string} */ name) => String(outputs[name] ?? "?");
  switch (kind) {
    case "Link":
      return `${text("shortUrl")} → ${text("url")}`;
    case "Database":
      return `${text("engine")} ${text("version")}, ${text("host")}:${text("port")}, ${text("status")}`;
    case "BackupSchedule":
      return `${text("frequency")} at ${text("hourUtc").padStart(2, "0")}:00 UTC, kept for ${text("retentionDays")} days`;
    case "VpsInstance":
      return `${text("plan")}, ${text("image")}, ${text("ipv4")}, ${text("status")}`;
    case "Inbox":
      return `${text("emailAddress")}, until ${text("expiresAt")}`;
    case "Webhook":
      return `${text("url")}, secret [secret]`;
    default:
      return "";
  }
}

/**
 * Returns a connection URI without its password.
 *
 * @param {string} uri
 */
export function maskedUri(uri) {
  return uri.replace(/^(\w+:\/\/[^:@/]*:)[^@/]*@/, "$1[secret]@");
}

/**
 * Formats rows with aligned columns.
 *
 * @param {string[][]} rows
 */
export function table(rows) {
  const widths = rows.reduce(
    (/** @type {number[]} */ widest, row) =>
      row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
