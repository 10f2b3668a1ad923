import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../diagnostics/did-you-mean.js";
import type { SettingsPlace } from "../diagnostics/line.js";

/** The names of the settings. */
export const SETTING_NAMES = [
  "apiKey",
  "baseUrl",
  "api",
  "undeletable",
  "duplicates",
  "namespace",
  "adoptInterrupted",
  "formerBaseUrls",
  "acceptKeyChange",
  "idempotencyKeys",
  "allowUnlisted",
  "maxRetries",
  "requestTimeout",
  "pollInterval",
  "maxConcurrency",
] as const;

export type SettingName = (typeof SETTING_NAMES)[number];

/** What precedes the name of a setting in the configuration of a stack. */
export const NAMESPACE = "cloudservices:";

/**
 * Returns a diagnostic for each unknown setting of this provider: a misspelt one would be ignored silently.
 *
 * @param keys - The full names of all settings of the stack.
 */
export function unknownSettings(keys: readonly string[], place: SettingsPlace = "stack"): Diagnostic[] {
  const known: readonly string[] = SETTING_NAMES;
  return keys
    .filter((key) => key.startsWith(NAMESPACE) && !known.includes(key.slice(NAMESPACE.length)))
    .map((key) => {
      const short = key.slice(NAMESPACE.length);
      const near = didYouMean(short, known);
      const inStack = typeof place === "string";
      return {
        code: "CONFIG_INVALID",
        summary: inStack
          ? `the stack has a setting ${key}, which does not exist`
          : `the provider has an argument ${short}, which does not exist`,
        cause: near ? undefined : `there are ${known.join(", ")}.`,
        fixes: [
          ...(near ? [{ when: "if it is misspelt", line: inStack ? `${NAMESPACE}${near}` : near }] : []),
          ...(inStack ? [{ when: "to remove it", line: `pulumi config rm ${key}` }] : []),
        ],
      };
    });
}
