import type { z } from "zod";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.js";
import { ConfigurationError } from "../diagnostics/errors.js";
import type { SettingChange, SettingsPlace } from "../diagnostics/line.js";
import { setting } from "./setting-change.js";
import { NAMESPACE, type SettingName } from "./setting-names.js";
import { type SettingRule, type Settings, settingRules } from "./settings.js";

/** Looks a setting up by its full name, `cloudservices:apiKey`. */
export type ConfigLookup = (key: string) => string | undefined;

/** What is wrong with one setting. */
export interface SettingProblem {
  readonly key: string;
  /** A text that names the setting and does not contain the value of a secret. */
  readonly fact: string;
  readonly fix?: Fix;
}

const missing: Partial<Record<SettingName, { fact: string; change: SettingChange }>> = {
  apiKey: { fact: "there is no API key", change: setting("apiKey") },
  baseUrl: { fact: "there is no base URL", change: setting("baseUrl", "https://…/v1") },
};

/** Returns the diagnostic of invalid settings. */
export function configDiagnostic(problems: readonly SettingProblem[]): Diagnostic {
  const facts = problems.map(({ fact }) => fact).join("; ");
  return {
    code: "CONFIG_INVALID",
    summary: `the configuration is invalid: ${facts}`,
    fixes: problems.flatMap(({ fix }) => fix ?? []).slice(0, 3),
  };
}

/**
 * Reads the settings from the stack's configuration or a provider's arguments, with the environment as fallback.
 *
 * @throws ConfigurationError that names every invalid setting, without the value of a secret.
 */
export function readSettings(
  config: ConfigLookup,
  environment: Environment,
  place?: SettingsPlace,
): Settings {
  const { settings, wrong } = examine(config, environment, place);
  if (wrong.length > 0) throw new ConfigurationError(configDiagnostic(wrong));
  return settings;
}

/** Returns what is wrong with the settings. */
export const invalidSettings = (
  config: ConfigLookup,
  environment: Environment,
  place?: SettingsPlace,
): readonly SettingProblem[] => examine(config, environment, place).wrong;

type Environment = Readonly<Record<string, string | undefined>>;

function examine(config: ConfigLookup, environment: Environment, place: SettingsPlace = "stack") {
  const wrong: SettingProblem[] = [];
  const read = <K extends keyof typeof settingRules>(
    key: K,
  ): z.output<(typeof settingRules)[K]["schema"]> | undefined => {
    const rule: SettingRule = settingRules[key];
    const configured = config(`${NAMESPACE}${key}`);
    const value = configured ?? (rule.variable === undefined ? undefined : environment[rule.variable]);
    if (value === undefined || value === "") {
      const absent = missing[key];
      if (absent !== undefined) {
        const variable = rule.variable === undefined ? "" : `, or the environment variable ${rule.variable}`;
        const fix = { line: [absent.change, variable] };
        wrong.push({ key, fact: absent.fact, fix });
      }
      return undefined;
    }
    const parsed = settingRules[key].schema.safeParse(value);
    if (parsed.success) return parsed.data as z.output<(typeof settingRules)[K]["schema"]>;
    const name = typeof place === "string" ? `${NAMESPACE}${key}` : key;
    const source = configured === undefined ? rule.variable : name;
    // A URL may carry a password or a token.
    const isSecret = rule.secret || /[@?#]/.test(value);
    const shown = isSecret ? "" : ` (now ${JSON.stringify(value)})`;
    wrong.push({ key, fact: `${source} ${parsed.error.issues[0]?.message ?? "is invalid"}${shown}` });
    return undefined;
  };

  const settings = {
    apiKey: read("apiKey") ?? "",
    baseUrl: read("baseUrl") ?? "",
    api: read("api") ?? "conventional",
    undeletable: read("undeletable") ?? "error",
    duplicates: read("duplicates") ?? "error",
    namespace: read("namespace"),
    adoptInterrupted: read("adoptInterrupted") ?? false,
    formerBaseUrls: read("formerBaseUrls") ?? [],
    acceptKeyChange: read("acceptKeyChange") ?? false,
    idempotencyKeys: read("idempotencyKeys") ?? false,
    allowUnlisted: read("allowUnlisted") ?? false,
    maxRetries: read("maxRetries"),
    requestTimeout: read("requestTimeout"),
    pollInterval: read("pollInterval"),
    maxConcurrency: read("maxConcurrency"),
  } satisfies Settings;
  return { settings, wrong };
}
