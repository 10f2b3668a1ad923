/*
 * The lines of fixes. Some depend on where the program sets the settings, which only the adapters know.
 */

/**
 * Where a program sets the settings: in the configuration of the stack, for the dynamic form or for the default
 * provider of the native one, or in the arguments of a provider that the program declares.
 */
export type SettingsPlace = "stack" | "default provider" | { readonly provider: string };

/** A setting to change, as a part of a line. */
export interface SettingChange {
  /** The command that changes the configuration of the stack. */
  readonly command: string;
  /** The argument of a provider. */
  readonly argument: string;
}

/** What to type or do, in one line. */
export type Line = string | readonly (string | SettingChange)[];

/** Returns a line as the user reads it. */
export const lineText = (line: Line, place: SettingsPlace): string =>
  (typeof line === "string" ? [line] : line)
    .map((part) => (typeof part === "string" ? part : changeText(part, place)))
    .join("");

function changeText({ command, argument }: SettingChange, place: SettingsPlace): string {
  if (typeof place === "string") return command;
  const provider = place.provider && ` ${JSON.stringify(place.provider)}`;
  return `${argument} in the arguments of the provider${provider}`;
}
