import type { KindName } from "../../kind-of-type.js";
import type { Action, Change, Field } from "./changes.js";
import type { CostDifference, PlanChange } from "./cost-difference.js";
import { code, sentence, tableRow, valueText } from "./escape.js";
import type { Problem } from "./problems.js";
import type { Subject } from "./urn.js";

/** What a summary says. */
export interface Summary {
  /** Absent if the caller does not name it and the preview has not begun. */
  readonly stack: string | undefined;
  readonly changes: readonly Change[];
  readonly cost: CostDifference;
  readonly problems: readonly Problem[];
  /** The preview failed, also where no message says why. */
  readonly failed: boolean;
  readonly planId: string;
}

/** More fields of one resource make its row unreadable. */
const MOST_FIELDS = 12;

/** What is left for headings when the rows fill a page. */
const RESERVE = 4_000;

/** A text that leaves rows out before it grows beyond a size. */
class Page {
  readonly #lines: string[] = [];
  #bytes = 0;

  constructor(readonly limit: number) {}

  add(...lines: readonly string[]): void {
    for (const line of lines) {
      this.#lines.push(line);
      this.#bytes += Buffer.byteLength(line) + 1;
    }
  }

  rows(rows: readonly string[]): void {
    const room = (row: string) => this.#bytes + Buffer.byteLength(row) < this.limit - RESERVE;
    const shown = rows.findIndex((row) => {
      if (!room(row)) return true;
      this.add(row);
      return false;
    });
    if (shown >= 0) this.add("", `…and ${rows.length - shown} more: see the log of the job.`);
  }

  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }
}

/** What a resource contains that a new one does not. */
const CONTENT: Partial<Record<KindName, string>> = {
  Database: "its data",
  Inbox: "its messages",
  VpsInstance: "its disk",
};

/** Returns the summary as Markdown of GitHub and GitLab. */
export function markdown(summary: Summary, limit = Number.POSITIVE_INFINITY): string {
  const { changes, problems, cost, failed, stack } = summary;
  const page = new Page(limit);
  const having = (...actions: readonly Action[]) => changes.filter(({ action }) => actions.includes(action));
  const updates = having("update");
  const drifted = updates.filter(isDriftOnly);

  // A script finds its own comment by the first line.
  page.add(`<!-- pulumi-cloudservices summary: ${markOf(stack ?? "")} -->`);
  page.add(`## Preview${stack === undefined ? "" : ` of stack ${code(stack)}`}`, "");
  page.add(headline(summary), "");
  if (failed) addProblems(page, problems);

  section(page, "Deleted at the service, would be created again", having("recreate"), (change) => [
    label(change.subject),
    `**deleted outside of this program; applying creates a new one${content(change.subject, "without")}**`,
    fieldsText(change.fields),
  ]);
  section(page, "Replaced", having("replace"), (change) => [
    label(change.subject),
    `**a new one is created, and the old one is deleted${content(change.subject, "with")}**`,
    fieldsText(change.fields),
  ]);
  section(page, "Deleted", having("delete"), ({ subject, isLeftover }) => [
    label(subject),
    `**deleted${content(subject, "with")}**${isLeftover ? " (left by an interrupted replacement)" : ""}`,
    "",
  ]);
  addCost(page, cost);
  section(page, "Drift", drifted, ({ subject, fields }) => [
    label(subject),
    "changed at the service; applying changes it back",
    fieldsText(fields),
  ]);
  section(
    page,
    "Changed",
    updates.filter((change) => !isDriftOnly(change)),
    ({ subject, fields }) => [
      label(subject),
      fields.length > 0 ? "changed in place" : "an earlier run is finished",
      fieldsText(fields),
    ],
  );
  section(page, "Created", having("create"), ({ subject, after }) => [
    label(subject),
    "created",
    planOf(subject, after),
  ]);
  section(page, "Other", having("adopt", "forget", "other"), ({ subject, action, op }) => [
    label(subject),
    OTHER[action] ?? code(op),
    "",
  ]);
  if (!failed) page.add(`Plan ${code(summary.planId)}.`);
  return page.text;
}

/** Encodes a name so that it cannot end the comment of HTML. Different names stay different. */
const markOf = (stack: string): string =>
  encodeURIComponent(stack).replace(/[^\w.%]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

const OTHER: Partial<Record<Action, string>> = {
  adopt: "an existing one is adopted",
  forget: "leaves the state and stays at the service",
};

const isDriftOnly = ({ fields }: Change): boolean =>
  fields.length > 0 && fields.every(({ isDrift }) => isDrift);

const label = ({ type, name, kind }: Subject): string => `${kind ?? code(type)} ${code(name)}`;

const content = ({ kind = "Link" }: Subject, preposition: "with" | "without"): string =>
  CONTENT[kind] ? ` ${preposition} ${CONTENT[kind]}` : "";

const planOf = ({ kind }: Subject, inputs: Change["after"]): string =>
  kind !== undefined && inputs?.["plan"] !== undefined ? `plan: ${valueText(inputs["plan"])}` : "";

function fieldsText(fields: readonly Field[]): string {
  const shown = fields.slice(0, MOST_FIELDS).map((field) => {
    const { name, isConcealed, isDrift, forcesReplacement, before, after } = field;
    const marks = [...(forcesReplacement ? ["forces the replacement"] : []), ...(isDrift ? ["drift"] : [])];
    const values = isConcealed ? "" : `: ${valueText(before)} → ${valueText(after)}`;
    return `${code(name)}${values}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
  });
  if (fields.length > MOST_FIELDS) shown.push(`…and ${fields.length - MOST_FIELDS} more`);
  return shown.join("<br>");
}

function section(
  page: Page,
  title: string,
  changes: readonly Change[],
  row: (change: Change) => readonly string[],
): void {
  if (changes.length === 0) return;
  page.add(`### ${title}`, "", "| Resource | What happens | Fields |", "|---|---|---|");
  page.rows(changes.map((change) => tableRow(...row(change))));
  page.add("");
}

function headline({ changes, cost, failed, problems }: Summary): string {
  if (failed) {
    const where = problems.length > 0 ? "" : "; the log of the job says why";
    return `**The preview failed**${where}.${changes.length > 0 ? " What follows is incomplete." : ""}`;
  }
  const count = (word: string, which: (change: Change) => boolean, strong = false): string[] => {
    const number = changes.filter(which).length;
    if (number === 0) return [];
    return [strong ? `**${number} ${word}**` : `${number} ${word}`];
  };
  const is = (action: Action) => (change: Change) => change.action === action;
  const parts = [
    ...count("deleted at the service and created again", is("recreate"), true),
    ...count("replaced", is("replace"), true),
    ...count("deleted", is("delete"), true),
    ...count("with drift", (change) => change.fields.some(({ isDrift }) => isDrift)),
    ...count("changed", (change) => change.action === "update" && !isDriftOnly(change)),
    ...count("created", is("create")),
    ...count("adopted", is("adopt")),
    ...count("no longer managed", is("forget")),
    ...count("other", is("other")),
  ];
  if (parts.length === 0) return "No changes.";
  const costs = cost.plans.length > 0 ? ` Cost: ${costText(cost)}.` : "";
  return `${parts.join(", ")}.${costs}`;
}

const amount = (usd: number, digits = 2): string =>
  `${usd < 0 ? "−" : "+"}${Math.abs(usd).toFixed(digits)} USD`;

function costText({ plans, monthlyUsd }: CostDifference): string {
  const unknown = plans.filter((plan) => plan.monthlyUsd === undefined).length;
  const known = plans.length > unknown ? `**${amount(monthlyUsd)} a month**` : "";
  const rest = unknown === 0 ? "" : `${unknown} without a listed price`;
  return [known, rest].filter(Boolean).join(", ");
}

function addCost(page: Page, cost: CostDifference): void {
  if (cost.plans.length === 0) return;
  page.add("### Cost", "", "| Resource | Plan | Difference a month |", "|---|---|---|");
  page.rows(cost.plans.map(costRow));
  const known = cost.plans.some(({ monthlyUsd }) => monthlyUsd !== undefined);
  if (known)
    page.add(
      `| **Sum of what has a price** | | **${amount(cost.monthlyUsd)}** (${amount(cost.hourlyUsd, 4)} an hour) |`,
    );
  page.add(
    "",
    "By the service's price list, which has prices for servers only; backups and traffic are not in it.",
    "",
  );
}

const costRow = ({ subject, before, after, monthlyUsd }: PlanChange): string => {
  const plan = (id: string | undefined) => (id === undefined ? "*none*" : code(id));
  const difference = monthlyUsd === undefined ? "no listed price" : amount(monthlyUsd);
  return tableRow(label(subject), `${plan(before)} → ${plan(after)}`, difference);
};

function addProblems(page: Page, problems: readonly Problem[]): void {
  page.rows(
    problems.map(({ subject, text, code: name }) => {
      const about = subject ? `${label(subject)}: ` : "";
      const fact = text === undefined ? "see the log of the job" : sentence(text);
      return `- ${about}${fact}${name ? ` ${code(name)}` : ""}`;
    }),
  );
  if (problems.length > 0) page.add("");
}
