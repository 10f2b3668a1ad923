import { type FaultClass, faultClasses } from "./catalogue/fault.js";
import { type KindName, kinds } from "./evidence/kinds.js";
import { lostCreation, prose } from "./failure-prose.js";
import type { Verdict } from "./report.js";
import type { CaseResults, MutantResults } from "./results.js";

/** Returns the text of docs/failure-model.md. */
export function failureModel(cases: CaseResults, mutants: MutantResults | undefined): string {
  const parts = [
    head(),
    figures(cases, mutants),
    lost(),
    "## Faults",
    "A row counts the cases of its kind in both modes (`conventional` and `documented`). **No error**: the command itself" +
      "\nsucceeded. **Recovered**: after this many times `pulumi refresh` and `pulumi up`, with what the messages offered." +
      "\n**Stopped**: three such runs failed. **Broken**: a promise was broken.",
    ...faultClasses.map((each) => section(each, cases.verdicts)),
  ];
  return `${parts.join("\n\n")}\n`;
}

const head = (): string =>
  [
    "# Failure model",
    "",
    "<!-- Written by `npm run faults -- --document`; the text is in test/faults/failure-prose.ts. -->",
    "",
    "What happens when the service, the network or a process fails, what you see, and what you do. The campaign in",
    "`test/faults/` breaks the requests of every operation on every kind of resource, one at a time and in pairs, then runs",
    "what a user would run, and judges whether a promise was broken: nothing lost, nothing doubled, no secret leaked, plans",
    "that agree with the service. The engine is a model of Pulumi's, and kills are simulated within one process.",
    "`npm run faults -- --whole-engine` runs a case for each kind, operation and class of fault on the real engine, with",
    "real processes that are really killed; `npm run faults -- --rounds 300` changes one stack again and again.",
  ].join("\n");

function figures(
  { verdicts, seconds, commit, command, repeated }: CaseResults,
  mutants: MutantResults | undefined,
): string {
  const struck = verdicts.filter(({ faults }) => faults.length > 0);
  const caught = mutants?.hunted.filter(({ by }) => by !== undefined).length;
  const rows: [string, string][] = [
    ["command", `\`${command}\``],
    ["commit", repeated ? `${commit}; ${repeated.cases} failed cases again at ${repeated.commit}` : commit],
    ["runs without faults", String(verdicts.length - struck.length)],
    ["cases", `${struck.length}, a sample where the command has \`--sample\`; the whole is about 18,000`],
    [
      "not struck (the request never came)",
      String(struck.filter(({ result }) => result === "unstruck").length),
    ],
    ...[0, 1, 2, 3].map((runs): [string, string] => [
      runs === 0 ? "no error" : `recovered after ${runs} ${runs === 1 ? "run" : "runs"}`,
      String(struck.filter((each) => each.result === "recovered" && each.runs === runs).length),
    ]),
    ["stopped with an error each time", String(struck.filter(isStop).length)],
    ["broken promises", String(struck.filter(isBroken).length)],
    ["time", `${seconds} s`],
    [
      "broken providers that the judge caught",
      mutants
        ? `${caught} of ${mutants.hunted.length} (\`${mutants.command}\`, commit ${mutants.commit})`
        : "not run",
    ],
  ];
  return [
    "## Figures",
    "",
    "| | |",
    "|---|---|",
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
  ].join("\n");
}

const isStop = ({ result }: Verdict): boolean => result === "stopped" || result === "stuck";
const isBroken = ({ problems }: Verdict): boolean => problems.length > 0;

const lost = (): string =>
  [
    "## Lost creations",
    "",
    "The request was sent, and its response is lost. [Decision 0009](decisions/0009-refusals.md) has the rules.",
    "",
    "| Kind | What happens | What you see | What you do |",
    "|---|---|---|---|",
    ...kinds.map((kind) => {
      const { happens, see, todo } = lostCreation[kind];
      return `| ${kind} | ${happens} | ${see} | ${todo} |`;
    }),
  ].join("\n");

function section(each: FaultClass, verdicts: readonly Verdict[]): string {
  const { title, fault, happens, see, todo } = prose[each];
  return [
    `### ${title} (\`${each}\`)`,
    "",
    `- The fault: ${fault}`,
    `- What happens: ${happens}`,
    `- What you see: ${see}`,
    `- What you do: ${todo}`,
    "",
    "| Kind | Cases | No error | Recovered 1 / 2 / 3 | Stopped | Broken | Most frequent error |",
    "|---|---|---|---|---|---|---|",
    ...kinds.map((kind) =>
      rowOf(
        kind,
        verdicts.filter((one) => one.kind === kind && strikes(one, each)),
      ),
    ),
  ].join("\n");
}

/** Excludes pairs, whose cause is not clear. */
const strikes = ({ faults, result }: Verdict, each: FaultClass): boolean =>
  faults.length === 1 && faults[0]?.class === each && result !== "unstruck";

function rowOf(kind: KindName, verdicts: readonly Verdict[]): string {
  const after = (runs: number) =>
    verdicts.filter((each) => each.result === "recovered" && each.runs === runs).length;
  const cells = [
    kind,
    verdicts.length,
    after(0),
    [1, 2, 3].map(after).join(" / "),
    verdicts.filter(isStop).length,
    verdicts.filter(isBroken).length,
    messageIn(verdicts),
  ];
  return `| ${cells.join(" | ")} |`;
}

function messageIn(verdicts: readonly Verdict[]): string {
  const counts = new Map<string, number>();
  for (const stop of verdicts.flatMap(({ stops }) => stops)) {
    const text = (stop.split("\n")[0] ?? "").slice(0, 140).replaceAll("|", "\\|").replaceAll("`", "'");
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most ? `\`${most[0]}\`` : "none";
}
