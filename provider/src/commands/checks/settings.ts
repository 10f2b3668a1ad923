import { lineText } from "../../kernel/diagnostics/line.js";
import { invalidSettings, readSettings } from "../../kernel/settings/read-settings.js";
import { unknownSettings } from "../../kernel/settings/setting-names.js";
import type { Settings } from "../../kernel/settings/settings.js";
import { fingerprint } from "../../kernel/state/fingerprint.js";
import type { Setting } from "../engine.js";
import type { Check } from "./check.js";

type Config = Readonly<Record<string, Setting>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of a stack, if all of them are valid. */
export interface CheckedSettings {
  readonly settings?: Settings;
  readonly checks: readonly Check[];
}

/** Checks the settings, without ever showing the key. */
export function settingsCheck(config: Config, environment: Environment): CheckedSettings {
  const lookup = (key: string) => config[key]?.value;
  const invalid = invalidSettings(lookup, environment);
  const unknown = unknownSettings(Object.keys(config));
  const problems: Check[] = [
    ...invalid.map(
      ({ key, fact, fix }): Check => ({
        name: key,
        status: "failed",
        fact,
        fix: fix
          ? lineText(fix.line, "stack")
          : `pulumi config set ${key === "apiKey" ? "--secret " : ""}cloudservices:${key} <value>`,
      }),
    ),
    ...unknown.map(
      ({ summary, fixes = [] }): Check => ({
        name: "settings",
        status: "failed",
        fact: summary,
        fix: fixes.map(({ line }) => lineText(line, "stack")).at(-1),
      }),
    ),
  ];
  if (invalid.length > 0) return { checks: problems };
  const settings = readSettings(lookup, environment);
  const stored = config["cloudservices:apiKey"];
  const source = stored?.value ? "in the stack's configuration" : "in CLOUDSERVICES_API_KEY";
  const isPlain = stored?.value !== undefined && stored.secret !== true;
  return {
    settings,
    checks: [
      ...problems,
      {
        name: "apiKey",
        status: isPlain ? "warning" : "ok",
        fact: `${source}${isPlain ? ", in plain text" : ""}; fingerprint ${fingerprint(settings)}`,
        fix: isPlain ? "pulumi config set --secret cloudservices:apiKey" : undefined,
      },
      { name: "baseUrl", status: "ok", fact: settings.baseUrl },
    ],
  };
}
