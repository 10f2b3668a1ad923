import type { SettingChange } from "../diagnostics/line.js";
import { NAMESPACE } from "./setting-names.js";
import { type SettingRule, type Settings, settingRules } from "./settings.js";

/**
 * Returns a change of a setting, for the line of a fix.
 *
 * @param value - Absent where the user knows it.
 */
export function setting<K extends keyof Settings>(name: K, value?: Settings[K]): SettingChange {
  const rule: SettingRule = settingRules[name];
  const key = `${rule.secret ? "--secret " : ""}${NAMESPACE}${name}`;
  return value === undefined
    ? { command: `pulumi config set ${key}`, argument: name }
    : { command: `pulumi config set ${key} ${value}`, argument: `${name}: ${JSON.stringify(value)}` };
}
