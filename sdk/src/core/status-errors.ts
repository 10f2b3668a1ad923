import { branded, CloudServicesError, type ErrorFacts } from "./base-error.js";

/** 400: malformed payload or validation error; `field` names the field where the service does. */
export class BadRequestError extends CloudServicesError {
  static {
    branded(BadRequestError, "BadRequestError");
  }
  constructor(facts: ErrorFacts) {
    super("BAD_REQUEST", facts);
  }
}

/** 401: the key is missing or invalid. */
export class AuthenticationError extends CloudServicesError {
  static {
    branded(AuthenticationError, "AuthenticationError");
  }
  constructor(facts: ErrorFacts) {
    super("UNAUTHENTICATED", facts);
  }
}

/** 403: the key lacks a required scope. */
export class PermissionError extends CloudServicesError {
  static {
    branded(PermissionError, "PermissionError");
  }
  constructor(facts: ErrorFacts) {
    super("PERMISSION_DENIED", facts);
  }
}

/** 404 with the code `RESOURCE_NOT_FOUND`: the only proof that a resource does not exist. */
export class NotFoundError extends CloudServicesError {
  static {
    branded(NotFoundError, "NotFoundError");
  }
  constructor(facts: ErrorFacts) {
    super("NOT_FOUND", facts);
  }
  override get isProvenAbsent(): boolean {
    return true;
  }
}

/** 404 without the code `RESOURCE_NOT_FOUND`, 405 or 501: the server has no such route. The resource may exist. */
export class RouteMissingError extends CloudServicesError {
  static {
    branded(RouteMissingError, "RouteMissingError");
  }
  constructor(facts: ErrorFacts) {
    super("ROUTE_MISSING", facts);
  }
}

/** 409: for example a slug or a custom domain that is already used. */
export class ConflictError extends CloudServicesError {
  static {
    branded(ConflictError, "ConflictError");
  }
  constructor(facts: ErrorFacts) {
    super("CONFLICT", facts);
  }
}

/** 429: the rate limit was still exceeded after all retries. */
export class RateLimitError extends CloudServicesError {
  static {
    branded(RateLimitError, "RateLimitError");
  }
  /** `Retry-After` in milliseconds, at most 60,000. */
  declare readonly retryAfter?: number;
  constructor(facts: ErrorFacts, retryAfter?: number) {
    super("RATE_LIMITED", facts);
    if (retryAfter !== undefined) Object.assign(this, { retryAfter });
  }
}

/** 5xx but 501: the service failed. */
export class ServerError extends CloudServicesError {
  static {
    branded(ServerError, "ServerError");
  }
  /** `Retry-After` in milliseconds, at most 60,000. */
  declare readonly retryAfter?: number;
  constructor(facts: ErrorFacts, retryAfter?: number) {
    super("SERVER_ERROR", facts);
    if (retryAfter !== undefined) Object.assign(this, { retryAfter });
  }
}

/** A status that the specification does not list, such as a redirect, which the client never follows. */
export class UnexpectedStatusError extends CloudServicesError {
  static {
    branded(UnexpectedStatusError, "UnexpectedStatusError");
  }
  constructor(facts: ErrorFacts) {
    super("STATUS_UNEXPECTED", facts);
  }
}
