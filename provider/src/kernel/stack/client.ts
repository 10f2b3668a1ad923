import { type CallLimits, CloudServices } from "cloudservices-sdk";
import type { Settings } from "../settings/settings.js";
import { VERSION } from "./version.js";

/**
 * The client of a stack's service; what the configuration does not say is left to the sdk.
 *
 * @param bounds - What bounds all of its requests.
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
