/*
 * The section `plugins` of a project's file, without a parser of YAML: a program should not need one to start.
 */

/** A plugin that a project's file names. */
export interface ProjectPlugin {
  readonly name?: string;
  readonly path?: string;
}

/** Returns the plugins that a project's file names. Undefined if the section has braces, which only the engine reads. */
export function projectPlugins(text: string): readonly ProjectPlugin[] | undefined {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => /^["']?plugins["']?\s*:/.test(line));
  if (start < 0) return /^\s*\{/.test(text) ? undefined : [];
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => /^[^\s#]/.test(line));
  const section = [lines[start] ?? "", ...(end < 0 ? after : after.slice(0, end))];
  if (section.some((line) => /^[^#]*\{/.test(line))) return undefined;
  return pluginsIn(section);
}

function pluginsIn(section: readonly string[]): ProjectPlugin[] {
  const plugins: { name?: string; path?: string }[] = [];
  for (const line of section) {
    if (/^\s*-(\s|$)/.test(line)) plugins.push({});
    const [, key, value = ""] = /^[\s-]*\b(name|path)\s*:\s+(.*)$/.exec(line) ?? [];
    const plugin = plugins.at(-1);
    if (plugin && (key === "name" || key === "path")) plugin[key] = scalar(value);
  }
  return plugins;
}

/** Returns the text of a YAML value on one line. */
function scalar(value: string): string {
  const [, , quoted] = /^(["'])(.*?)\1/.exec(value) ?? [];
  return quoted ?? value.replace(/(^|\s)#.*$/, "").trim();
}
