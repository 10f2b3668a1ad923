import { engineVersion } from "../../tools/engine/version.mjs";
import type { Combination, Form } from "./combinations.js";

/** What a combination did. */
export interface Round extends Combination {
  /** What it used. Undefined if the installation failed. */
  readonly versions: Versions | undefined;
  /** The step that failed, with the reason. */
  readonly failed: string | undefined;
}

export interface Versions {
  readonly node: string;
  readonly pulumi: string;
  readonly manager: string;
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const resultOf = ({ failed }: Round): string => (failed === undefined ? "passed" : `failed: ${failed}`);

const withVersion = ({ manager, versions }: Round): string => `${manager} ${versions?.manager ?? ""}`.trim();

/** Returns the page of the documentation that shows these rounds. */
export function pageOf(supported: readonly Round[], tried: readonly Round[]): string {
  const forms = [...new Set(supported.map(({ form }) => form))];
  const lines = [...new Set(supported.map(({ node }) => node))];
  const cellOf = (node: number, form: Form): string =>
    supported
      .filter((round) => round.node === node && round.form === form)
      .map((round) => `${resultOf(round)} (${withVersion(round)})`)
      .join(", ");
  const versionsOf = (line: number) => supported.find(({ node }) => node === line)?.versions;
  return `# Versions of Node.js and package managers

\`npm run compatibility\` wrote this page on ${new Date().toISOString().slice(0, 10)}, with the engine ${engineVersion} on
${process.platform} ${process.arch}. Each round installs the packed packages in an empty folder, as
[installing.md](installing.md) says, compiles a TypeScript program with \`tsc\`, and runs on the engine and the sandbox:
\`up\`, \`up --expect-no-changes\`, a change, and \`destroy\`. Then the installed sandbox creates a PostgreSQL database. Each
version of Node.js meets each package manager and each form of a program.

${[
  row(["Node.js", "`@pulumi/pulumi`", ...forms]),
  row(["---", "---", ...forms.map(() => "---")]),
  ...lines.map((line) =>
    row([
      versionsOf(line)?.node ?? String(line),
      versionsOf(line)?.pulumi ?? "",
      ...forms.map((form) => cellOf(line, form)),
    ]),
  ),
].join("\n")}

Yarn uses \`nodeLinker: node-modules\`.

Also tried, but not part of what is supported:

${[
  row(["Package manager", "Node.js", "Program", "Result"]),
  row(["---", "---", "---", "---"]),
  ...tried.map((round) =>
    row([withVersion(round), round.versions?.node ?? String(round.node), round.form, resultOf(round)]),
  ),
].join("\n")}
`;
}
