import { branded, CloudServicesError, type ErrorFacts } from "./base-error.js";

/** One wrong field of a request. It never quotes the value. */
export interface RequestIssue {
  /** camelCase path of the field, e.g. `sshKeys[0]`; empty for the whole input. */
  readonly field: string;
  /** What is expected. */
  readonly message: string;
  /** The allowed values, where there is a closed list. */
  readonly allowed?: readonly string[];
}

/** An option of the client is not valid: base URL, API key, a limit. Nothing was sent. */
export class ConfigurationError extends CloudServicesError {
  static {
    branded(ConfigurationError, "ConfigurationError");
  }
  constructor(facts: Omit<ErrorFacts, "outcome">) {
    super("CONFIGURATION_INVALID", { ...facts, outcome: "notSent" });
  }
}

/** The input of a call is not valid; `issues` has every wrong field. Nothing was sent. */
export class ValidationError extends CloudServicesError {
  static {
    branded(ValidationError, "ValidationError");
  }
  /** Every wrong field. */
  readonly issues: readonly RequestIssue[];
  constructor(facts: Omit<ErrorFacts, "outcome">, issues: readonly RequestIssue[]) {
    super("REQUEST_INVALID", { ...facts, outcome: "notSent" });
    this.issues = issues;
  }
}

/** The client has `api: "documented"`, and the specification does not show this call. Nothing was sent. */
export class UndocumentedCallError extends CloudServicesError {
  static {
    branded(UndocumentedCallError, "UndocumentedCallError");
  }
  constructor(facts: Omit<ErrorFacts, "outcome">) {
    super("CALL_NOT_DOCUMENTED", { ...facts, outcome: "notSent" });
  }
}

/** The signature, age or body of a notification is not valid. Respond with a 400 and do not act on it. */
export class EventVerificationError extends CloudServicesError {
  static {
    branded(EventVerificationError, "EventVerificationError");
  }
  constructor(message: string) {
    super("EVENT_UNVERIFIED", { message, outcome: "rejected" });
  }
}
