import { type CallLimits, CloudServices, type Logger } from "cloudservices-sdk";
import type { Settings } from "../settings/settings.js";
import { VERSION } from "./version.js";

/**
 * Returns the client of a stack's service. The sdk's defaults apply where the configuration sets nothing.
 *
 * @param bounds - The limits of all its requests.
 * @param logger - The target of the request log. Default: the sdk's.
 */
export function clientOf(settings: Settings, bounds: CallLimits = {}, logger?: Logger): CloudServices {
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
    // What a response lacks is unknown, never a change and never a failure.
    partialResponses: true,
    logger,
    userAgent: `pulumi-cloudservices/${VERSION}`,
  }).within(bounds);
}
