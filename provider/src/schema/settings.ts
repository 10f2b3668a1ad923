import { z } from "zod";
import { readSettings } from "../kernel/settings/read-settings.js";
import { type SettingRule, type Settings, settingRules } from "../kernel/settings/settings.js";
import type { PropertySpec, TypeSpec } from "./package-schema.js";
import { checker, describe, exportOf, propertyOf } from "./source.js";

const declared = checker.getDeclaredTypeOfSymbol(exportOf("kernel/settings/settings.ts", "Settings"));

/** The settings of a stack that sets only what is required. */
const defaults: Settings = readSettings(
  (key) => ({ "cloudservices:apiKey": "key", "cloudservices:baseUrl": "https://api.example.com/v1" })[key],
  {},
);

type Name = keyof typeof settingRules;

/** Returns the type of a setting, which is that of its parsed value. */
function typeOf(name: Name): TypeSpec {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(propertyOf(declared, name)));
  const text = checker.typeToString(type);
  if (text === "readonly string[]") return { type: "array", items: { type: "string" } };
  if (text === "boolean") return { type: "boolean" };
  if (text !== "number") return { type: "string" };
  const { type: number } = z.toJSONSchema(settingRules[name].schema, { io: "output" });
  return { type: number === "integer" ? "integer" : "number" };
}

function settingOf(name: Name): PropertySpec {
  const rule: SettingRule = settingRules[name];
  return {
    ...typeOf(name),
    ...describe(propertyOf(declared, name)),
    ...(rule.variable === undefined ? {} : { defaultInfo: { environment: [rule.variable] } }),
    ...(rule.secret ? { secret: true } : {}),
  };
}

/** Returns the default of a setting, where a schema can express it. */
function defaultOf(name: Name): { default?: string | boolean } {
  if (name === "apiKey" || name === "baseUrl") return {};
  const value = defaults[name];
  return typeof value === "string" || typeof value === "boolean" ? { default: value } : {};
}

const names = Object.keys(settingRules).filter((name): name is Name => name in settingRules);

/** Returns the arguments of a provider. Their defaults are the plugin's, so that a state holds what a program sets. */
export const providerInputs = (): Readonly<Record<string, PropertySpec>> =>
  Object.fromEntries(names.map((name) => [name, settingOf(name)]));

/** Returns the variables of a stack's configuration. */
export const configVariables = (): Readonly<Record<string, PropertySpec>> =>
  Object.fromEntries(names.map((name) => [name, { ...settingOf(name), ...defaultOf(name) }]));
