import { spellingsOf } from "./secrets.js";

/** Matches the start of a whole map of properties in a line; its other members do not matter. */
const MAPS = /map\[|resp: |fields:\{/;

/**
 * Returns the lines of an engine's log that contain a secret, without the parts that differ between runs: the source of
 * the line, its subject and the property of the secret remain.
 *
 * @param log - What the engine prints with `-v=9`, its log of events, or its trace as Latin-1.
 */
export function shapesOf(log: string, secrets: Readonly<Record<string, string>>): string[] {
  const spellings = Object.entries(secrets)
    .flatMap(([name, secret]) => Object.values(spellingsOf(secret)).map((spelling) => ({ name, spelling })))
    // The longest first: a URI contains a password.
    .sort((a, b) => b.spelling.length - a.spelling.length);
  const shapes = new Set<string>();
  for (const line of log.split(/\p{Cc}+/u)) {
    let marked = line;
    for (const { name, spelling } of spellings) marked = marked.replaceAll(spelling, `‹${name}›`);
    if (marked.includes("‹")) shapes.add(shapeOf(marked));
  }
  return [...shapes].sort();
}

function shapeOf(line: string): string {
  const lasting = line
    // The binary frame of a record in a trace, the row of the display, and the stamp of a log line.
    .replace(/^.*(?=\{\\?"gRPC re)/, "")
    .replace(/^.*? debug: /, "debug: ")
    .replace(/^[IWEF]\d{4} [\d:.]+ +\d+ /, "")
    .replaceAll("{&{{", "{")
    .replace(/0x[0-9a-f]+/g, "0x…")
    .replace(/"(sequence|timestamp)":\d+/g, '"$1":…')
    .replace(/stack-\d+-\w{6}/g, "stack-…");
  const [about = ""] = lasting.split(new RegExp(`${MAPS.source}|‹`));
  const held = lasting.matchAll(/([\w:.-]+)[^\w‹]*(?:(?:value|string_value|struct_value)[^\w‹]*)*‹(\w+)›/g);
  const properties = new Set([...held].map(([, property, secret]) => `${property}=‹${secret}›`));
  return `${about}… ${[...properties].sort().join(", ")}`;
}
