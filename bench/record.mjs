import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, totalmem } from "node:os";

const file = new URL("results.md", import.meta.url);
const INTRODUCTION = `# Measured

Written by \`npm run bench -- --record\`. Compare the columns of a table with each other, not with those of another machine.
`;

/**
 * Replaces the section of a benchmark in results.md.
 *
 * @param {string} name
 * @param {string} title
 * @param {readonly Record<string, string | number>[]} rows
 */
export function record(name, title, rows) {
  const old = existsSync(file) ? readFileSync(file, "utf8") : INTRODUCTION;
  const [introduction = "", ...sections] = old.split(/^(?=## )/m);
  const others = sections.filter((section) => !section.startsWith(`## ${name}\n`));
  const section = `## ${name}\n\n${circumstances(title)}\n\n${tableOf(rows)}\n`;
  const all = [...others.map((other) => `${other.trimEnd()}\n`), section].sort();
  writeFileSync(file, [`${introduction.trimEnd()}\n`, ...all].join("\n"));
}

function circumstances(title) {
  const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ":!bench/results.md") === "" ? "" : " with changes";
  const { version } = createRequire(import.meta.url)("@pulumi/pulumi/package.json");
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${title}. ${new Date().toISOString().slice(0, 10)}, commit ${git("rev-parse", "--short", "HEAD")}${changed}, Node.js ${process.version}, @pulumi/pulumi ${version}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${memory}.`;
}

function tableOf(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(columns),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(columns.map((column) => row[column] ?? ""))),
  ].join("\n");
}
