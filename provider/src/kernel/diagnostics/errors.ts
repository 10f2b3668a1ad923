import { AbortError, CloudServicesError } from "cloudservices-sdk";

/** What a hook tells the user: what happened, to which resource, why, and what to do now. */
export class ResourceError extends Error {
  override readonly name: string = "ResourceError";
}

/**
 * The resource exists, but is not as it should be. The engine keeps it in the state with the given outputs
 * and finishes it by an update on the next run.
 */
export class PartialFailure extends ResourceError {
  override readonly name = "PartialFailure";

  constructor(
    message: string,
    readonly resourceId: string,
    readonly outputs: Readonly<Record<string, unknown>>,
    /** What went wrong, without what becomes of the resource. */
    readonly why?: string,
  ) {
    super(message);
  }
}

/** A wrong or missing setting; told once, at the first hook that needs it. */
export class ConfigurationError extends ResourceError {
  override readonly name = "ConfigurationError";
}

/** Never throws: an object without a prototype has no text. */
export function messageOf(error: unknown): string {
  // Only a cancelled run aborts anything.
  if (error instanceof AbortError) {
    const request = { notSent: "Nothing more was sent.", rejected: "", ambiguous: withAdvice(error) }[
      error.outcome
    ];
    return `The run was cancelled. ${request}`.trim();
  }
  try {
    if (error instanceof CloudServicesError) return withAdvice(error);
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "an error that cannot be shown";
  }
}

function withAdvice({ message, advice }: CloudServicesError): string {
  return advice === undefined ? message : `${message} ${advice}`;
}
