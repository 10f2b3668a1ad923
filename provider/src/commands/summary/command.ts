import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { changesOf } from "./changes.js";
import { costDifference } from "./cost-difference.js";
import { markdown, type Summary } from "./markdown.js";
import { planId } from "./plan-id.js";
import { type Preview, previewOf } from "./preview.js";
import { isWrongInput, problemsOf } from "./problems.js";
import { subjectOf } from "./urn.js";

/** The lines of the command's help. */
export const SUMMARY_USAGE = `summary (reads \`pulumi preview --json --show-replacement-steps\` from standard input, prints Markdown):
  --stack <name>        the name in the title, and in the first line, which identifies the comment
  --output <file>       also writes it there, at most 60,000 bytes long, which fits into a comment
  --preview-exit <code> the exit code of the preview
  --expect-no-changes   exits with 7 if there are changes
  --reviewed <plan>     exits with 10 unless the preview has this plan
`;

/** The exit codes. Up to 9 they are those of Pulumi 3.226.1 and newer. */
const EXIT = { fine: 0, failed: 1, wrongInput: 2, operationFailed: 4, changes: 7, notReviewed: 10 } as const;

/** GitHub takes comments of 65,536 characters. */
const COMMENT_BYTES = 60_000;

/** The options, for `parseArgs`. */
export const summaryOptions = {
  stack: { type: "string" },
  output: { type: "string" },
  "preview-exit": { type: "string", default: "0" },
  "expect-no-changes": { type: "boolean", default: false },
  reviewed: { type: "string" },
} as const;

/** What the caller knows and expects. */
export interface Expectation {
  /** The exit code of the engine. */
  readonly previewExit: string;
  readonly noChanges: boolean;
  /** The id of the plan that a person has seen. */
  readonly reviewed: string | undefined;
}

interface SummaryValues {
  readonly stack?: string | undefined;
  readonly output?: string | undefined;
  readonly "preview-exit": string;
  readonly "expect-no-changes": boolean;
  readonly reviewed?: string | undefined;
}

/** Summarises the preview on standard input, and returns the exit code. */
export async function summary(values: SummaryValues): Promise<number> {
  const preview = previewOf(await text(process.stdin));
  for (const { message } of preview.messages) process.stderr.write(`${message.trimEnd()}\n`);
  const expectation = {
    previewExit: values["preview-exit"],
    noChanges: values["expect-no-changes"],
    reviewed: values.reviewed,
  };
  const summarised = summaryOf(preview, expectation.previewExit !== "0", values.stack);
  process.stdout.write(markdown(summarised));
  if (values.output !== undefined) writeFileSync(values.output, markdown(summarised, COMMENT_BYTES));
  const { code, why } = exitOf(summarised, expectation);
  if (why !== undefined) process.stderr.write(`error: ${why}\n`);
  return code;
}

/** Returns what a preview would change, and why it failed if it did. */
export function summaryOf(preview: Preview, hasFailed: boolean, stack?: string): Summary {
  const changes = changesOf(preview);
  const problems = problemsOf(preview);
  const [first] = preview.steps;
  return {
    stack: stack ?? (first && subjectOf(first.urn).stack),
    changes,
    cost: costDifference(changes),
    problems,
    failed: hasFailed || problems.length > 0,
    planId: planId(changes),
  };
}

/** Returns the exit code for a summary. */
export function exitOf(
  { failed, problems, changes, planId: plan }: Summary,
  { previewExit, noChanges, reviewed }: Expectation,
): { readonly code: number; readonly why?: string } {
  if (failed) {
    if (isWrongInput(problems)) return { code: EXIT.wrongInput };
    if (problems.some(({ subject }) => subject)) return { code: EXIT.operationFailed };
    // Engines that have exit codes of their own know more, such as a violated policy.
    return { code: /^[1-9]$/.test(previewExit) ? Number(previewExit) : EXIT.failed };
  }
  if (noChanges && changes.length > 0)
    return { code: EXIT.changes, why: "there are changes, and none were expected" };
  if (reviewed !== undefined && reviewed !== plan)
    return { code: EXIT.notReviewed, why: `the plan is now ${plan}, not ${reviewed}; review it again` };
  return { code: EXIT.fine };
}
