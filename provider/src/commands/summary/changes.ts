import { isDeepStrictEqual } from "node:util";
import { kinds } from "../../generated/signatures.js";
import { containsUnknown, isHidden, type Properties } from "../../kernel/definition/properties.js";
import { received } from "../../kernel/engine/wire-values.js";
import type { Preview, Step } from "./preview.js";
import { type Subject, subjectOf } from "./urn.js";

/** What applying does to a resource. */
export type Action =
  /** The service has deleted it; a new one is created. */
  | "recreate"
  | "replace"
  | "delete"
  /** It leaves the state, and stays at the service. */
  | "forget"
  | "update"
  | "create"
  /** An existing resource enters the state. */
  | "adopt"
  /** An operation that this version does not know. */
  | "other";

/** A field that differs. The values are absent where they must not or cannot be shown. */
export interface Field {
  readonly name: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** The values are left out: a secret, or an input of another package. */
  readonly isConcealed: boolean;
  /** The service's value differs from the one that the last run applied. */
  readonly isDrift: boolean;
  /** It is a reason for the replacement. */
  readonly forcesReplacement: boolean;
}

/** What happens to one resource. */
export interface Change {
  readonly action: Action;
  readonly op: string;
  readonly urn: string;
  readonly subject: Subject;
  /** It is the old one of a replacement that an earlier run has begun. */
  readonly isLeftover: boolean;
  readonly fields: readonly Field[];
  /** The inputs at the service now, and after applying. */
  readonly before: Properties | undefined;
  readonly after: Properties | undefined;
}

/** Operations that change nothing at the service. */
const SILENT = new Set([
  "same",
  "refresh",
  "read",
  "read-replacement",
  "discard",
  "discard-replaced",
  "remove-pending-replace",
]);

/** Halves of a replacement. Without the `replace`, they are all that is left of an interrupted one. */
const HALVES = new Set(["create-replacement", "delete-replaced"]);

const ACTIONS: Readonly<Record<string, Action>> = {
  create: "create",
  update: "update",
  replace: "replace",
  delete: "delete",
  "create-replacement": "create",
  "delete-replaced": "delete",
  import: "adopt",
  "import-replacement": "adopt",
};

/** Returns what a preview would change, in the order of the preview. */
export function changesOf({ steps }: Preview): Change[] {
  // A refresh lists the state before it. A resource that it finds deleted has a `create` after it.
  const beforeRefresh = new Map(
    steps
      .filter(({ op, oldState }) => op === "refresh" && !oldState?.delete)
      .map(({ urn, oldState }) => [urn, inputsOf(oldState)]),
  );
  const replaced = new Set(steps.filter(({ op }) => op === "replace").map(identityOf));
  return steps.filter((step) => isChange(step, replaced)).map((step) => changeOf(step, beforeRefresh));
}

/** A state can have several resources with one URN: the current one, and old ones that are still to be deleted. */
const identityOf = ({ urn, oldState }: Step): string => JSON.stringify([urn, oldState?.id]);

function isChange(step: Step, replaced: ReadonlySet<string>): boolean {
  const { op, urn } = step;
  const { type } = subjectOf(urn);
  if (HALVES.has(op) && replaced.has(identityOf(step))) return false;
  if (SILENT.has(op) || type === "pulumi:pulumi:Stack") return false;
  // The engine adds default providers on its own.
  return !(op === "create" && type.startsWith("pulumi:providers:"));
}

const inputsOf = (state: Step["oldState"]): Properties | undefined =>
  state?.inputs ? received(state.inputs) : undefined;

function changeOf(step: Step, refreshed: ReadonlyMap<string, Properties | undefined>): Change {
  const { op, urn } = step;
  const [before, after] = [inputsOf(step.oldState), inputsOf(step.newState)];
  const wasRefreshed = refreshed.has(urn);
  const subject = subjectOf(urn);
  let action: Action = ACTIONS[op] ?? "other";
  if (op === "create" && wasRefreshed) action = "recreate";
  else if (op === "create" && subject.kind && after?.["adopt"] !== undefined) action = "adopt";
  else if (action === "delete" && step.oldState?.retainOnDelete) action = "forget";
  // The state's record of a resource that was deleted at the service.
  const was = action === "recreate" ? refreshed.get(urn) : before;
  const stored = refreshed.get(urn) ?? before;
  const names = action === "recreate" ? differing(was, after) : fieldNames(step, before, after);
  const fields = names.map((name): Field => {
    const isConcealed = isSecret(subject, name) || subject.kind === undefined;
    return {
      name,
      isConcealed,
      ...(!isConcealed && { before: was?.[name], after: after?.[name] }),
      isDrift: action !== "recreate" && !isDeepStrictEqual(stored?.[name], before?.[name]),
      forcesReplacement: (step.replaceReasons ?? []).some((reason) => topLevel(reason) === name),
    };
  });
  const isLeftover = op === "delete-replaced";
  return {
    action,
    op,
    urn,
    subject,
    isLeftover,
    fields,
    before: action === "recreate" ? undefined : before,
    after,
  };
}

/** `events[0]` and `tags.owner` are parts of `events` and `tags`. */
const topLevel = (path: string): string => /^[^.[]+/.exec(path)?.[0] ?? path;

function fieldNames(step: Step, before: Properties | undefined, after: Properties | undefined): string[] {
  if (!before || !after) return [];
  const named = [...(step.diffReasons ?? []), ...(step.replaceReasons ?? [])];
  const given = named.length > 0 ? named : Object.keys(step.detailedDiff ?? {});
  const names = given.length > 0 ? [...new Set(given.map(topLevel))] : differing(before, after);
  return names.filter((name) => !isHidden(name)).sort();
}

const differing = (before: Properties = {}, after: Properties = {}): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !isHidden(name) && !isDeepStrictEqual(before[name], after[name]))
    .sort();

const isSecret = ({ kind }: Subject, name: string): boolean => {
  const secrets: readonly string[] = kind ? kinds[kind].secrets : [];
  return secrets.includes(name);
};

/** Returns a plan's id, or `undefined` where it is unknown until applied. */
export const planIn = (inputs: Properties | undefined): string | undefined => {
  const plan = inputs?.["plan"];
  return typeof plan === "string" && !containsUnknown(plan) ? plan : undefined;
};
