import type { Block } from "./pages.js";

/** A command with its arguments, without what the shell does with them. */
export type Command = readonly [name: string, ...args: string[]];

/** Returns a word's commands: those in its `$(…)`. */
const inner = (line: string): string[] => [...line.matchAll(/\$\(([^()]*)\)/g)].map(([, text = ""]) => text);

/** Splits a line into the words of its commands. Quoted words keep no quotes. */
function wordsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  const token =
    /\s*(?:(#.*)|(&&|\|\||[;|])|((?:'[^']*'|"[^"]*"|\\.|[^\s'"\\;|&#])(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\;|&])*))/gy;
  for (const [, comment, separator, word] of line.matchAll(token)) {
    if (comment !== undefined) break;
    if (separator !== undefined) commands.push([]);
    else if (word !== undefined) commands.at(-1)?.push(word.replaceAll(/^(['"])(.*)\1$/g, "$2"));
  }
  return commands;
}

const isRedirection = (word: string) => /^\d?[<>]/.test(word) && !/^<[\w-]+>/.test(word);

/** Returns the commands of a line of a shell. */
export function commandsIn(line: string): Command[] {
  return [...wordsOf(line), ...inner(line).flatMap(wordsOf)].flatMap((words) => {
    const start = words.findIndex((word) => !/^\w+=/.test(word));
    const end = words.findIndex(isRedirection);
    const [name, ...args] = words.slice(start, end < 0 ? undefined : end);
    return start < 0 || name === undefined ? [] : [[name, ...args] as const];
  });
}

/** Returns the commands of a block, with continued lines as one. */
export const commandsOf = ({ text }: Block): Command[] =>
  text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .flatMap(commandsIn);
