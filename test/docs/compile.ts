import { dirname } from "node:path";
import ts from "typescript";
import type { Block } from "./pages.js";

/** A program, and the blocks of pages that it consists of, with the line at which each begins. */
export interface Program {
  readonly file: string;
  text: string;
  readonly parts: { readonly from: number; readonly block: Block }[];
}

/** What docs/installing.md recommends, and the strictest options. */
const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  allowJs: true,
  checkJs: true,
  skipLibCheck: true,
  esModuleInterop: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
};

/** Returns the compiler's errors with their places in the pages. */
export function errorsIn(programs: readonly Program[]): string[] {
  const byFile = new Map(programs.map((program) => [program.file, program]));
  const host = ts.createCompilerHost(options);
  const { directoryExists, fileExists, readFile } = host;
  const folders = new Set([...byFile.keys()].map(dirname));
  host.directoryExists = (path) => folders.has(path) || (directoryExists?.(path) ?? false);
  host.fileExists = (path) => byFile.has(path) || fileExists(path);
  host.readFile = (path) => byFile.get(path)?.text ?? readFile(path);
  const compiled = ts.createProgram([...byFile.keys()], options, host);
  return ts.getPreEmitDiagnostics(compiled).map(({ file, start = 0, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, "\n");
    const parts = file && byFile.get(file.fileName)?.parts;
    if (!file || !parts) return message;
    const { line } = file.getLineAndCharacterOfPosition(start);
    const part = parts.findLast(({ from }) => from <= line);
    return part ? `${part.block.page}:${part.block.line + line - part.from}: ${message}` : message;
  });
}
