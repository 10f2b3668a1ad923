import { type Cell, type Screen, textOf } from "./terminal.js";

type Line = readonly Cell[];

const plain = { colour: undefined, bold: false, underline: false };

/** What no two runs have in common, and what stands for it. */
const varying: readonly (readonly [RegExp, string])[] = [
  // Durations.
  [/ \((\d+h)?(\d+m)?[\d.]+s\)/, ""],
  // The port, which is that of `npm start` here, and the end of a short URL.
  [/(?<=127\.0\.0\.1:)\d+\/[^"]+/, "4780/…"],
  // Ids, also as a part of host names.
  [/(?<=\b(inbox_|db-))[0-9a-z]{17}\b/, "…"],
  // The part of a derived name that makes it unique.
  [/(?<=-)[0-9a-z]{7}-[0-9a-z]{10}(?=@)/, "…"],
];

function withoutVarying(line: Line): Line {
  return varying.reduce((cells, [pattern, replacement]) => {
    const found = pattern.exec(textOf([cells]));
    if (!found) return cells;
    const styled = [...replacement].map((text) => ({ ...plain, ...cells[found.index], text }));
    return [...cells.slice(0, found.index), ...styled, ...cells.slice(found.index + found[0].length)];
  }, line);
}

const branch = /^ \S +([├└])─ \S+ +(\S+)/;

/** Sorts the branches of the tree as the program declares them. The engine's order changes from run to run. */
function inOrderOf(program: string, lines: readonly Line[]): readonly Line[] {
  const placeOf = (line: Line) => program.indexOf(`("${branch.exec(textOf([line]))?.[2]}"`);
  const branches = lines.filter((line) => branch.test(textOf([line])));
  const sorted = branches.toSorted((a, b) => placeOf(a) - placeOf(b));
  const first = lines.findIndex((line) => branches.includes(line));
  const tree = sorted.map((line, at) =>
    line.map((cell) =>
      /[├└]/.test(cell.text) ? { ...cell, text: at < sorted.length - 1 ? "├" : "└" } : cell,
    ),
  );
  return [...lines.slice(0, first), ...tree, ...lines.slice(first + tree.length)];
}

const colours = new Map([
  [2, { name: "green", value: "#3fb950" }],
  [12, { name: "blue", value: "#79c0ff" }],
  [13, { name: "magenta", value: "#d2a8ff" }],
]);

const FONT = 14;
/** The width of a character in most fonts. Each word has its own place, so others fit too. */
const COLUMN = 8.43;
const LINE = 19;
const MARGIN = 20;

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const rounded = (length: number) => Number(length.toFixed(2));

function classesOf({ colour, bold, underline }: Cell): string {
  const known = colour === undefined ? undefined : colours.get(colour);
  if (colour !== undefined && !known) throw new Error(`The picture has no colour ${colour} yet.`);
  return [known?.name, bold && "bold", underline && "underline"].filter(Boolean).join(" ");
}

/** Returns the words of a line that have the same style, each with its column. Two spaces part them too. */
function wordsOf(line: Line): { at: number; text: string; classes: string }[] {
  const styles = line.map(classesOf);
  return [...textOf([line]).matchAll(/\S+( \S+)*/g)].flatMap(({ 0: words, index }) => {
    const starts = [...words]
      .map((_, i) => index + i)
      .filter((at) => at === index || styles[at] !== styles[at - 1]);
    return starts.map((at, i) => ({
      at,
      text: textOf([line.slice(at, starts[i + 1] ?? index + words.length)]),
      classes: styles[at] ?? "",
    }));
  });
}

/**
 * Returns a picture (SVG) of a terminal after a command. Only what no two runs have in common is replaced or left out,
 * so that a later run gives the same picture.
 */
export function pictureOf(
  { title, command, program }: { title: string; command: string; program: string },
  screen: Screen,
): string {
  const shown = screen.filter((line) => !textOf([line]).startsWith("Duration: ")).map(withoutVarying);
  const prompt = [...`$ ${command}`].map((text): Cell => ({ ...plain, text, bold: true }));
  const lines = [prompt, [], ...inOrderOf(program, shown)];
  while (lines.at(-1)?.length === 0) lines.pop();

  const width = Math.ceil(Math.max(...lines.map(({ length }) => length)) * COLUMN + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  const texts = lines.flatMap((line, row) => {
    const words = wordsOf(line).map(({ at, text, classes }) => {
      const style = classes === "" ? "" : ` class="${classes}"`;
      return `<tspan x="${rounded(MARGIN + at * COLUMN)}"${style}>${escaped(text)}</tspan>`;
    });
    return words.length === 0 ? [] : [`  <text y="${MARGIN + row * LINE + FONT}">${words.join("")}</text>`];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-labelledby="title">
  <title id="title">${escaped(title)}</title>
  <style>
    text { font: ${FONT}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; fill: #e6edf3; }
    .bold { font-weight: bold; }
    .underline { text-decoration: underline; }
${[...colours.values()].map(({ name, value }) => `    .${name} { fill: ${value}; }\n`).join("")}  </style>
  <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#59636e"/>
${texts.join("\n")}
</svg>
`;
}
