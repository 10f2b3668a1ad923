import { type CallLimits, CloudServices } from "cloudservices-sdk";
import type { Settings } from "../settings/settings.js";
import { VERSION } from "./version.js";

/**
 * Returns the client of a stack's service. The sdk's defaults apply where the configuration sets nothing.
 *
 * @param bounds - The limits of all its requests.
 */
export function clientOf(settings: Settings, bounds: CallLimits = {}): CloudServices {
  const { apiKey, baseUrl, maxRetries, maxConcurrency, requestTimeout, pollInterval, idempotencyKeys } =
    settings;
  return new CloudServices({
    apiKey,
    baseUrl,
    idempotencyKeys,
    maxRetries,
    maxConcurrency,
    timeout: requestTimeout,
    pollInterval,
    userAgent: `pulumi-cloudservices/${VERSION}`,
  }).within(bounds);
}
