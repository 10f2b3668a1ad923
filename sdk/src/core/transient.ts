import type { CloudServicesError } from "./base-error.js";
import {
  AbortError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  NotFoundError,
  PermissionError,
  RouteMissingError,
  UndocumentedCallError,
  ValidationError,
} from "./errors.js";

/** Returns whether a later poll may succeed after this error. A wait survives it. */
export function isTransient(error: CloudServicesError): boolean {
  return ![
    AbortError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    NotFoundError,
    PermissionError,
    RouteMissingError,
    UndocumentedCallError,
    ValidationError,
  ].some((kind) => error instanceof kind);
}
