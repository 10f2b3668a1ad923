import type { Properties } from "../../definition/properties.js";

/**
 * An error in the form that the host expects: it prints the error's stack, and treats an error with an `id` as an
 * existing resource.
 */
export class HookError {
  readonly stack: string;

  constructor(readonly message: string) {
    this.stack = message;
  }

  toString(): string {
    return "cloudservices";
  }
}

/** The error of a resource that exists and is not ready: it stays in the state. */
export class InitializationError extends HookError {
  readonly reasons: string[];

  constructor(
    message: string,
    readonly id: string,
    readonly properties: Properties,
  ) {
    super(message);
    this.reasons = [message];
  }
}
