import { AbortError, CloudServicesError, type ErrorCode } from "cloudservices-sdk";
import { type Diagnostic, type Fix, render } from "./diagnostic.js";
import { lineText, type SettingChange, type SettingsPlace } from "./line.js";

/** An error of a hook. Its message is the diagnostic as a user of the dynamic form reads it. */
export class ResourceError extends Error {
  override readonly name: string = "ResourceError";

  constructor(readonly diagnostic: Diagnostic) {
    super(render(diagnostic));
  }
}

/**
 * The resource exists, but is not as the program describes it. The engine keeps it in the state with these outputs
 * and finishes it by an update on the next run.
 */
export class PartialFailure extends ResourceError {
  override readonly name = "PartialFailure";

  constructor(
    diagnostic: Diagnostic,
    readonly resourceId: string,
    readonly outputs: Readonly<Record<string, unknown>>,
  ) {
    super(diagnostic);
  }
}

/** A wrong or missing setting. The first hook that needs it reports it. */
export class ConfigurationError extends ResourceError {
  override readonly name = "ConfigurationError";
}

/** Returns whether the failed request may have taken effect. */
export const isAmbiguous = (error: unknown): error is CloudServicesError =>
  error instanceof CloudServicesError && error.outcome === "ambiguous";

/** Returns what happened, in one line and without advice. Never throws: an object without a prototype has no text. */
export function factOf(error: unknown): string {
  // Only a cancelled run aborts anything.
  if (error instanceof AbortError) {
    const request = { notSent: "nothing more was sent.", rejected: "", ambiguous: error.message }[
      error.outcome
    ];
    return `the run was cancelled; ${request}`.replace(/; $/, ".");
  }
  try {
    if (error instanceof ResourceError) {
      const { summary, cause } = error.diagnostic;
      return cause ? `${summary}: ${cause}` : summary;
    }
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "an error that cannot be shown";
  }
}

/** The ways on that an error carries itself. */
export function fixesOf(error: unknown): readonly Fix[] {
  if (error instanceof ResourceError) return error.diagnostic.fixes ?? [];
  if (error instanceof AbortError || !(error instanceof CloudServicesError)) return [];
  const advice: Fix[] = error.advice === undefined ? [] : [{ line: error.advice }];
  return SETTINGS_FIXES[error.code] ?? advice;
}

const BASE_URL: SettingChange = {
  command: "pulumi config set cloudservices:baseUrl <address>/v1",
  argument: "baseUrl",
};

/** The settings that cause an error of the sdk, whose advice names the options of its client. */
const SETTINGS_FIXES: Partial<Record<ErrorCode, readonly Fix[]>> = {
  UNAUTHENTICATED: [
    {
      when: "if the key is wrong",
      line: [
        { command: "pulumi config set --secret cloudservices:apiKey", argument: "apiKey" },
        ", or the environment variable CLOUDSERVICES_API_KEY",
      ],
    },
    { when: "if the key belongs to another service", line: [BASE_URL] },
  ],
  ROUTE_MISSING: [{ when: "if the address is wrong, or lacks its version", line: [BASE_URL] }],
};

/** Returns the whole text of an error for the user, its fixes included. Never throws. */
export function textOf(error: unknown, place: SettingsPlace = "stack"): string {
  if (error instanceof ResourceError) return render(error.diagnostic, place);
  return [factOf(error), ...fixesOf(error).map(({ line }) => lineText(line, place))].join(" ");
}
