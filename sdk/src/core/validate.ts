import type { z } from "zod";
import { type RequestIssue, ValidationError } from "./errors.js";
import { isIdentifier } from "./identifier.js";
import type { RequestLabel } from "./request.js";

/** Returns the parsed input, or throws one error with every wrong field. It never quotes a value. */
export function checkInput<S extends z.ZodType>(schema: S, input: unknown, label: RequestLabel): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw validationError(label, result.error.issues.flatMap(issuesOf));
}

const IDENTIFIER_EXPECTED =
  "expected an id of the service, without slashes and control characters, and not only dots";

/** Returns a path with its identifiers. Throws for an identifier that could lead to another path. */
export function buildPath(
  template: string,
  ids: Readonly<Record<string, unknown>>,
  label: Omit<RequestLabel, "path">,
): string {
  const issues: RequestIssue[] = [];
  const path = template.replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const id = ids[name];
    if (isIdentifier(id)) return encodeURIComponent(id);
    issues.push({ field: name, message: IDENTIFIER_EXPECTED });
    return `:${name}`;
  });
  if (issues.length > 0) throw validationError({ ...label, path: template }, issues);
  return path;
}

/** Returns the custom headers. Throws for headers that the pipeline sets. */
export function checkHeaders(
  headers: Readonly<Record<string, string>>,
  label: RequestLabel,
): Record<string, string> {
  const issues: RequestIssue[] = [];
  const accepted: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const field = `headers[${JSON.stringify(name)}]`;
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) issues.push({ field, message: "is not a header name" });
    else if (RESERVED.has(name.toLowerCase())) issues.push({ field, message: "is set by the client itself" });
    else if (typeof value !== "string" || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      issues.push({ field, message: "expected text that fits in a header" });
    } else accepted[name.toLowerCase()] = value;
  }
  if (issues.length > 0) throw validationError(label, issues);
  return accepted;
}

const RESERVED = new Set([
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
]);

export function validationError(
  { call, method, path }: RequestLabel,
  issues: readonly RequestIssue[],
): ValidationError {
  const list = issues
    .map(({ field, message }) => (field === "" ? message : `${field}: ${message}`))
    .join("; ");
  const message = `${call}: the input is not valid; nothing was sent. ${list}.`;
  return new ValidationError({ message, method, path, field: issues[0]?.field }, issues);
}

function issuesOf(issue: z.core.$ZodIssue): RequestIssue[] {
  const field = issue.path.reduce<string>(
    (path, part) =>
      typeof part === "number" ? `${path}[${part}]` : path === "" ? String(part) : `${path}.${String(part)}`,
    "",
  );
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: field === "" ? key : `${field}.${key}`,
      message: "is not a field of this call",
    }));
  }
  if (issue.code === "invalid_value") {
    const allowed = issue.values.map(String);
    return [{ field, message: `expected one of ${allowed.join(", ")}`, allowed }];
  }
  return [{ field, message: issue.message.replace(/^Invalid input: /, "") }];
}
