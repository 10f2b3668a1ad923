import { isPresent, type Properties, UNKNOWN } from "../../definition/properties.js";
import type { Settings } from "../../settings/settings.js";
import {
  type ConfigLookup,
  invalidSettings,
  readSettings,
  type SettingsForm,
  unknownSettings,
} from "../../settings/settings.js";
import { VERSION } from "../../stack/version.js";

/** One invalid argument of a provider, in the engine's form. */
export interface ArgumentFailure {
  readonly property: string;
  readonly reason: string;
}

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
export function checkArguments(
  urn: string,
  args: Properties,
  environment: Readonly<Record<string, string | undefined>>,
): ArgumentFailure[] {
  const unknown = Object.keys(args).filter((key) => args[key] === UNKNOWN);
  const invalid = invalidSettings(lookupIn(args), environment, formOf(urn))
    .filter(({ key }) => !unknown.includes(key))
    .map(({ key, fact, fix }) => ({
      property: key,
      reason: [fact, fix?.line].filter(Boolean).join("; fix: "),
    }));
  const named = Object.keys(args).filter((key) => !OF_ENGINE.includes(key));
  const foreign = named.flatMap((key) =>
    unknownSettings([`cloudservices:${key}`]).map(({ cause, fixes = [] }) => ({
      property: key,
      reason: [
        "there is no such setting",
        cause,
        ...fixes.slice(0, 1).map(({ line }) => `did you mean ${line}`),
      ]
        .filter(Boolean)
        .join("; "),
    })),
  );
  return [...versionFailures(args), ...foreign, ...invalid];
}

/** The version of the classes, which the engine passes on. */
function versionFailures({ version }: Properties): ArgumentFailure[] {
  if (typeof version !== "string" || version === VERSION) return [];
  const reason = `the program's package has version ${version} and the plugin ${VERSION}; install one version of pulumi-cloudservices, and let \`plugins\` in Pulumi.yaml name its folder`;
  return [{ property: "version", reason }];
}

/** @throws ConfigurationError that names every invalid setting. */
export const settingsOf = (
  urn: string,
  args: Properties,
  environment: Readonly<Record<string, string | undefined>>,
): Settings => readSettings(lookupIn(args), environment, formOf(urn));
