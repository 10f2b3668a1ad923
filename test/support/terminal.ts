import { existsSync } from "node:fs";
import xterm from "@xterm/headless";
import { run } from "../../tools/process/run.mjs";
import type { TestProject } from "./project.js";

/** Whether `script` of util-linux is installed, which runs a command on a terminal. Other systems' differs. */
export const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

/** A character on the screen of a terminal. */
export interface Cell {
  readonly text: string;
  /** The number of its colour, or `undefined` for the terminal's own. */
  readonly colour: number | undefined;
  readonly bold: boolean;
  readonly underline: boolean;
}

/** The lines of a screen, without the spaces at their ends. */
export type Screen = readonly (readonly Cell[])[];

/** Returns the text of a screen. */
export const textOf = (screen: Screen): string =>
  screen.map((line) => line.map(({ text }) => text).join("")).join("\n");

const size = { cols: 120, rows: 50 };

/**
 * Runs `pulumi` as a person does, on a terminal: it then draws a tree and redraws it until it ends. Returns everything
 * that it printed, and what the screen shows in the end.
 */
export async function pulumiOnTerminal(
  { folder, environment }: TestProject,
  args: readonly string[],
): Promise<{ code: number | undefined; output: string; screen: Screen }> {
  const command = `stty cols ${size.cols} rows ${size.rows}; pulumi ${args.join(" ")}`;
  // A variable of a pipeline (CI, NO_COLOR) would change what the engine draws.
  const { PATH, HOME } = process.env;
  const { code, stdout, stderr } = await run(
    "/usr/bin/script",
    ["--quiet", "--return", "--command", command, "/dev/null"],
    { cwd: folder, env: { ...environment, PATH, HOME, TERM: "xterm-256color" } },
  );
  return { code, output: stdout + stderr, screen: await screenAfter(stdout) };
}

async function screenAfter(output: string): Promise<Screen> {
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, y) => {
    const line = active.getLine(y);
    const cells = Array.from({ length: size.cols }, (_, x): Cell => {
      const cell = line?.getCell(x);
      return {
        text: cell?.getChars() || " ",
        colour: cell?.isFgPalette() ? cell.getFgColor() : undefined,
        bold: Boolean(cell?.isBold()),
        underline: Boolean(cell?.isUnderline()),
      };
    });
    return cells.slice(0, cells.findLastIndex(({ text }) => text !== " ") + 1);
  });
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex(({ length }) => length > 0) + 1);
}
