import { createHash } from "node:crypto";
import { isHidden } from "../../kernel/definition/properties.js";
import type { Change } from "./changes.js";

/**
 * Returns a short text that is equal for two previews with the same operations, fields and values. Secrets and inputs of
 * other packages are not compared: the first are not in a preview, and the second may be random.
 */
export function planId(changes: readonly Change[]): string {
  const lines = changes.map(({ action, op, urn, subject, fields, after }) =>
    JSON.stringify([
      urn,
      op,
      action,
      fields.map(({ name, forcesReplacement }) => [name, forcesReplacement]),
      subject.kind
        ? Object.entries(after ?? {})
            .filter(([name]) => !isHidden(name))
            .map(([name, value]) => [name, typeof value === "symbol" ? null : value])
            .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
        : null,
    ]),
  );
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex").slice(0, 16);
}
