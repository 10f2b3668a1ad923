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

/** Whether a look that failed so may succeed later: a wait survives it. */
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
