import { isPresent, type Properties, UNKNOWN } from "../../definition/properties.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { NAMESPACE, type SettingsForm, unknownSettings } from "../../settings/setting-names.js";
import {
  type ConfigLookup,
  configDiagnostic,
  invalidSettings,
  readSettings,
  type Settings,
} from "../../settings/settings.js";
import { VERSION } from "../../stack/version.js";

/** The engine adds these to the arguments of a provider. */
const OF_ENGINE: readonly string[] = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/** The engine declares a provider of this name for resources whose program names none. */
const isDefault = (urn: string): boolean => /^default(_\d|$)/.test(urn.split("::").at(-1) ?? "");

const formOf = (urn: string): SettingsForm => (isDefault(urn) ? "configuration" : "arguments");

/** The engine passes arguments that are not strings as JSON. */
const textOf = (value: unknown): string | undefined =>
  !isPresent(value) ? undefined : typeof value === "string" ? value : JSON.stringify(value);

const lookupIn =
  (args: Properties): ConfigLookup =>
  (key) =>
    textOf(args[key.slice(key.indexOf(":") + 1)]);

/** Returns what is wrong with the arguments of a provider. Unknown ones are judged when they are known. */
export function checkSettings(
  urn: string,
  args: Properties,
  environment: Readonly<Record<string, string | undefined>>,
): Diagnostic[] {
  const form = formOf(urn);
  const known = Object.keys(args).filter((key) => !OF_ENGINE.includes(key));
  const isUnknown = (key: string) => args[key] === UNKNOWN;
  const invalid = invalidSettings(lookupIn(args), environment, form).filter(({ key }) => !isUnknown(key));
  return [
    ...versionDiagnostics(args),
    ...unknownSettings(
      known.map((key) => `${NAMESPACE}${key}`),
      form,
    ),
    ...(invalid.length > 0 ? [configDiagnostic(invalid)] : []),
  ];
}

/** The version of the classes, which the engine passes on. */
function versionDiagnostics({ version }: Properties): Diagnostic[] {
  if (typeof version !== "string" || version === VERSION) return [];
  return [
    {
      code: "CONFIG_INVALID",
      summary: `the program's pulumi-cloudservices has version ${version}, and the plugin ${VERSION}`,
      fixes: [{ line: "install one version, and let `plugins` in Pulumi.yaml name its folder" }],
    },
  ];
}

/** @throws ConfigurationError that names every invalid setting. */
export const settingsOf = (
  urn: string,
  args: Properties,
  environment: Readonly<Record<string, string | undefined>>,
): Settings => readSettings(lookupIn(args), environment, formOf(urn));
