import { isPresent, type Properties, UNKNOWN } from "../../definition/properties.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SettingsPlace } from "../../diagnostics/line.js";
import {
  type ConfigLookup,
  configDiagnostic,
  invalidSettings,
  readSettings,
} from "../../settings/read-settings.js";
import { NAMESPACE, unknownSettings } from "../../settings/setting-names.js";
import type { Settings } from "../../settings/settings.js";
import { VERSION } from "../../stack/version.js";

/** The engine adds these to the arguments of a provider. */
const OF_ENGINE: readonly string[] = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/** Returns where a program sets the settings of a provider. The engine declares a default one for resources without. */
export function placeOf(urn: string): SettingsPlace {
  const provider = urn.split("::").at(-1) ?? "";
  return /^default(_\d|$)/.test(provider) ? "default provider" : { provider };
}

/** The engine passes arguments that are not strings as JSON. */
const textOf = (value: unknown): string | undefined =>
  !isPresent(value) ? undefined : typeof value === "string" ? value : JSON.stringify(value);

const lookupIn =
  (args: Properties): ConfigLookup =>
  (key) =>
    textOf(args[key.slice(key.indexOf(":") + 1)]);

/** Returns what is wrong with the arguments of a provider. Unknown ones are judged when they are known. */
export function checkSettings(
  place: SettingsPlace,
  args: Properties,
  environment: Readonly<Record<string, string | undefined>>,
): Diagnostic[] {
  const known = Object.keys(args).filter((key) => !OF_ENGINE.includes(key));
  const isUnknown = (key: string) => args[key] === UNKNOWN;
  const invalid = invalidSettings(lookupIn(args), environment, place).filter(({ key }) => !isUnknown(key));
  return [
    ...versionDiagnostics(args),
    ...unknownSettings(
      known.map((key) => `${NAMESPACE}${key}`),
      place,
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
  place: SettingsPlace,
  args: Properties,
  environment: Readonly<Record<string, string | undefined>>,
): Settings => readSettings(lookupIn(args), environment, place);
