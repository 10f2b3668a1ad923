import { createHmac } from "node:crypto";
import { once } from "../definition/once.js";
import type { Settings } from "../settings/settings.js";

/** Returns a one-way hash of the API key, to detect that two runs use different keys. */
export const fingerprint = once(({ apiKey }: Settings): string =>
  createHmac("sha256", apiKey).update("cloudservices api key").digest("base64url").slice(0, 11),
);
