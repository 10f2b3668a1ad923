import { configVariables } from "./settings.js";

/** Returns the table of the settings in docs/configuration.md. */
export function configurationTable(): string {
  const rows = Object.entries(configVariables()).map(([name, { description = "", defaultInfo, secret }]) => {
    const [, text = description, required, fallback = ""] =
      /^(.*?)\s*(?:(Required)\.|Default: (.+)\.)?$/.exec(description) ?? [];
    const variable = defaultInfo?.environment.map((each) => `\`${each}\``).join(", ") ?? "";
    return `| \`${name}\`${secret ? " (secret)" : ""} | ${variable} | ${required ? "required" : fallback} | ${text} |`;
  });
  return ["| Setting | Variable | Default | |", "|---|---|---|---|", ...rows].join("\n");
}
