import type { Evidence } from "../../evidence/evidence.js";
import type { Phase, Printed } from "../../evidence/phase.js";
import { type Finding, finding, phaseLine, type Rule } from "../violation.js";

/** The maximum length of a message. */
const LONGEST = 2_000;

const faults: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a stack trace", /\n\s+at .+[:(]\S+:\d+:\d+\)?/],
  ["an undefined value", /\bundefined\b/],
  ["an object that was not written out", /\[object [A-Z]\w*\]/],
  ["a number that is none", /\bNaN\b/],
  ["a page of HTML", /<(!doctype|html|body)\b/i],
  [
    "an error of the language",
    /\b(TypeError|RangeError|ReferenceError|SyntaxError|ZodError|Cannot read propert|is not (a function|iterable))/,
  ],
];

/** A failure has one clear message, without a stack trace, an unformatted value or a repetition. */
export const messages: Rule = {
  name: "messages",
  judge: (evidence) =>
    evidence.phases.flatMap((phase, index) => [
      ...phase.printed.flatMap((printed) => unclear(printed, phaseLine(evidence, index))),
      ...silent(phase, phaseLine(evidence, index)),
      ...repeated(phase, phaseLine(evidence, index)),
      ...unexplained(evidence, phase, index),
    ]),
};

function unclear({ kind, text }: Printed, line: string): Finding[] {
  const found = faults.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${kind} with ${what}`);
  if (text.length > LONGEST) found.push(`${kind} of ${text.length} characters`);
  return found.map((what) => finding(what, line, text.slice(0, LONGEST)));
}

/** A failed command prints why. */
function silent({ outcome, printed }: Phase, line: string): Finding[] {
  const says = printed.some(({ kind, text }) => kind !== "status" && text.trim() !== "");
  return outcome === "failed" && !says ? [finding("a command failed without a message", line)] : [];
}

function repeated({ printed }: Phase, line: string): Finding[] {
  const errors = printed.filter(({ kind, urn }) => kind === "diagnostic" && urn !== undefined);
  return errors
    .filter(({ urn, text }, at) =>
      errors.slice(0, at).some((earlier) => earlier.urn === urn && earlier.text === text),
    )
    .map(({ text }) => finding("the same error twice", line, text));
}

/** Every failed step has its own error. */
function unexplained(evidence: Evidence, { steps, printed, outcome }: Phase, index: number): Finding[] {
  if (outcome === "killed") return [];
  return steps
    .filter((step) => step.outcome === "failed" || step.outcome === "partial")
    .filter(({ urn }) => !printed.some((line) => line.kind === "diagnostic" && line.urn === urn))
    .map(({ op, urn }) => finding(`${op} of ${urn} failed without a message`, phaseLine(evidence, index)));
}
