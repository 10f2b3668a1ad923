import { ApiError } from "../core/errors.js";

export interface ApiKey {
  readonly tenant: string;
  readonly mayWrite: boolean;
}

const KEY = /^Bearer sandbox_([A-Za-z0-9][A-Za-z0-9_-]{0,63})(\.readonly)?$/;

/**
 * Parses an API key. `sandbox_<tenant>` has full access to its tenant; `sandbox_<tenant>.readonly` may only read.
 * Specification: "Authentication".
 */
export function parseApiKey(authorization: string | undefined): ApiKey {
  const match = authorization === undefined ? null : KEY.exec(authorization);
  if (match?.[1] === undefined) {
    const what =
      authorization === undefined ? "The Authorization header is missing." : "The API key is not valid.";
    throw new ApiError(401, "UNAUTHORIZED", `${what} Send "Authorization: Bearer sandbox_<tenant>".`);
  }
  return { tenant: match[1], mayWrite: match[2] === undefined };
}
