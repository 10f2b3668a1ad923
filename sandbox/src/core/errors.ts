import type { z } from "zod";

/** Error codes. Only `RESOURCE_NOT_FOUND` is documented; the others are assumed. */
export const errorCodes = {
  VALIDATION_ERROR: { status: 400, meaning: "The request is malformed, or a field is invalid." },
  UNAUTHORIZED: { status: 401, meaning: "The API key is missing or not valid." },
  FORBIDDEN: { status: 403, meaning: "The API key lacks permission." },
  RESOURCE_NOT_FOUND: { status: 404, meaning: "The resource does not exist." },
  ROUTE_NOT_FOUND: { status: 404, meaning: "The endpoint does not exist." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The endpoint does not support this method." },
  CONFLICT: { status: 409, meaning: "A value is taken, or the resource's status does not allow this." },
  RATE_LIMITED: { status: 429, meaning: "The rate limit is exceeded." },
  INTERNAL_ERROR: { status: 500, meaning: "The service failed; a retry may help." },
} as const;

/** A 4xx or 5xx response. Specification: "Errors". */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    /** One of the codes above, or the code of an injected fault. */
    readonly code: string,
    message: string,
    readonly field?: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export function invalid(message: string, field?: string): ApiError {
  return new ApiError(400, "VALIDATION_ERROR", message, field);
}

export function notFound(kind: string, id: string): ApiError {
  return new ApiError(404, "RESOURCE_NOT_FOUND", `No ${kind} with the id "${id}" exists.`);
}

export function conflict(message: string, field?: string): ApiError {
  return new ApiError(409, "CONFLICT", message, field);
}

/** Describes the first invalid field. Never repeats a value, which may be secret. */
export function validationError(error: z.ZodError, input: unknown): ApiError {
  // An unknown field often explains a missing one (a typo), so report it first.
  const issue = error.issues.find(({ code }) => code === "unrecognized_keys") ?? error.issues[0];
  if (!issue) return invalid("The request is invalid.");
  if (issue.code === "unrecognized_keys") {
    const field = [...issue.path, issue.keys[0] ?? ""].join(".");
    return invalid(`"${field}" is not a known field.`, field);
  }
  const field = issue.path.join(".");
  if (field === "") return invalid(`The body is invalid: ${issue.message}.`);
  const missing = memberAt(input, issue.path) === undefined;
  return invalid(missing ? `"${field}" is required.` : `"${field}" is invalid: ${issue.message}.`, field);
}

function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (member, key) => (typeof member === "object" && member !== null ? Reflect.get(member, key) : undefined),
    value,
  );
}
