import { CODES, type Code } from "../../kernel/diagnostics/diagnostic.js";
import type { Preview, PreviewMessage } from "./preview.js";
import { type Subject, subjectOf } from "./urn.js";

/** Why a preview failed, as far as a comment may show it. */
export interface Problem {
  readonly subject?: Subject;
  readonly code?: Code;
  /**
   * The first line of a message of this package, which contains no secret. Other messages are in the log only: a program
   * may throw anything, such as the password of a database.
   */
  readonly text?: string;
}

/** What the program or the configuration must change. Everything else may be the service, the key or the network. */
const WRONG_INPUT: ReadonlySet<Code> = new Set<Code>([
  "ADOPT_AFTER_CREATE",
  "ADOPT_UNSUPPORTED",
  "CHANGE_NOT_ALLOWED",
  "CONFIG_INVALID",
  "DECLARED_TWICE",
  "INPUT_INVALID",
  "INPUT_UNKNOWN",
  "INPUT_UNLISTED",
  "PROGRAM_INVALID",
  "REPLACE_ADOPTED",
  "REPLACE_UNSUPPORTED",
  "UPDATE_UNSUPPORTED",
]);

const codes: ReadonlySet<string> = new Set(CODES);
const isCode = (word: string): word is Code => codes.has(word);

/** Returns what made a preview fail. */
export const problemsOf = ({ messages }: Preview): Problem[] =>
  messages
    .filter(
      ({ severity, message }) => severity === "error" && !/^error: (preview|update) failed\s*$/.test(message),
    )
    .map(problemOf);

function problemOf({ urn, message }: PreviewMessage): Problem {
  const about = urn ? { subject: subjectOf(urn) } : {};
  const [first = "", second = ""] = message.split("\n");
  const [, line = "", code = ""] = /^(.*) \[([A-Z_]+)\]$/.exec(first) ?? [];
  if (isCode(code)) {
    const text = line.replace(/^error: /, "").replace(/^Preview failed: |^.*? has a problem: /, "");
    return { ...about, code, text };
  }
  if (/cannot be deleted$/.test(first) && second.startsWith("because it is protected"))
    return { ...about, text: "it is protected, and this change would delete it" };
  return about;
}

/** Returns whether the program or the configuration is the reason, and nothing else. */
export const isWrongInput = (problems: readonly Problem[]): boolean =>
  problems.length > 0 && problems.every(({ code }) => code !== undefined && WRONG_INPUT.has(code));
