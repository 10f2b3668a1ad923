import { changedFields, effectOf, isUndocumentedChange } from "../definition/changes.js";
import type { CheckFailure, Input, Kind, Planned } from "../definition/kind.js";
import {
  containsUnknown,
  isPresent,
  type Properties,
  REPLACE_KEY,
  RETAIN_KEY,
} from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import { withArticle } from "../state/describe.js";
import { checkFailure } from "./check-failure.js";
import type { Proposal } from "./proposal.js";

/** What is wrong with inputs each of which is right by itself: the kind's rules, and what the plan would make of them. */
export function checkAcrossFields<I extends object, R extends object>(
  proposal: Proposal<I, R>,
  inputs: Properties,
): { failures: CheckFailure[]; notes: string[] } {
  const { kind, olds, exists, settings } = proposal;
  const changed = exists ? changedFields(kind, olds, inputs) : [];
  // An unknown flag may replace in the end; that is no reason to refuse the plan.
  const known = Object.fromEntries(Object.entries(inputs).filter(([, value]) => !containsUnknown(value)));
  const replaced = changed.filter(
    ([field, input]) =>
      isReplacedByOption(proposal, field) || effectOf(kind, input, known, settings) === "replace",
  );
  const planned: Planned<I> = plannedView<I>(proposal, inputs, !exists || replaced.length > 0);
  const failures = kind.validate?.(planned) ?? [];
  if (replaced.length > 0) {
    const cause = `a change of ${replaced.map(([field]) => field).join(", ")}`;
    failures.push(...replacementFailures(proposal, cause, olds));
  } else failures.push(...undocumented(kind, changed, settings));
  return { failures, notes: kind.notes?.(planned) ?? [] };
}

/** The engine replaces by the option `replaceOnChanges` without asking the provider. */
function isReplacedByOption<I extends object, R extends object>(
  { news }: Proposal<I, R>,
  field: string,
): boolean {
  const paths = news[REPLACE_KEY];
  return Array.isArray(paths) && (paths.includes(field) || paths.includes("*"));
}

export const isUndeletable = <I extends object, R extends object>(
  kind: Kind<I, R>,
  settings: Settings,
): boolean => kind.delete !== undefined && settings.api === "documented" && settings.undeletable === "error";

/** What a resource may not do that replaces one with these options. */
export function replacementFailures<I extends object, R extends object>(
  { kind, news, settings }: Proposal<I, R>,
  cause: string,
  before: Properties,
): CheckFailure[] {
  const failures: CheckFailure[] = [];
  if (isPresent(news["adopt"])) {
    const isDerived = kind.naming !== undefined && !isPresent(news[kind.naming.field]);
    failures.push({
      property: "",
      reason:
        `${cause} makes a new resource, which may not adopt the old one. ` +
        "Remove `adopt` from the program; where the value was wrong when it was adopted, take it out of the state with " +
        "`pulumi state delete` and adopt it again. What an interrupted replacement has left can be deleted at the service" +
        (isDerived ? ", or taken over by setting cloudservices:adoptInterrupted to true" : ""),
    });
  }
  // It would make the new one, perhaps pay for it, and then fail to delete the old one, in every run. The engine goes
  // by the option that the old one had in the last run.
  if (isUndeletable(kind, settings) && before[RETAIN_KEY] !== true) {
    failures.push({
      property: "",
      reason:
        `${cause} makes a new ${kind.name}, and the specification shows no request that deletes the old one ` +
        "(cloudservices:api is documented). Put the old value back, or leave the old one behind at the service: set " +
        "cloudservices:undeletable to abandon, or run `pulumi up` with the option `retainOnDelete: true` on the " +
        "resource itself and without any other change first (one that it has from its parent or a transform is not told)",
    });
  }
  return failures;
}

/** In the mode `documented`, a change without a documented request; replacing instead would lose data. */
function undocumented<I extends object, R extends object>(
  kind: Kind<I, R>,
  changed: readonly [string, Input<unknown, R>][],
  settings: Settings,
): CheckFailure[] {
  return changed
    .filter(([, input]) => isUndocumentedChange(input, settings))
    .map(([field, input]) =>
      checkFailure(
        field,
        input,
        `cannot be changed: the specification shows no request that updates ${withArticle(kind.name)} (cloudservices:api is documented). ` +
          "Put the old value back, add the field to `ignoreChanges`, set cloudservices:api to conventional, or set " +
          "cloudservices:undeletable to abandon so that a new one is made and the old one is left behind",
      ),
    );
}

/** The rules across fields for a resource that is to be taken from what it is to what the program asks for. */
export const validateTransition = <I extends object, R extends object>(
  kind: Kind<I, R>,
  is: Properties,
  inputs: Properties,
  settings: Settings,
): readonly CheckFailure[] =>
  kind.validate?.(plannedView({ olds: is, news: {}, exists: true, settings }, inputs, false)) ?? [];

function plannedView<I extends object>(
  { olds, news, exists, settings }: Pick<Proposal<I, never>, "olds" | "news" | "exists" | "settings">,
  inputs: Properties,
  creates: boolean,
): Planned<I> {
  // Both maps hold values that the kind's own schemas have accepted.
  const view = (values: Properties) =>
    function value<F extends keyof I>(field: F): I[F] | undefined {
      const found = values[String(field)];
      return containsUnknown(found) ? undefined : (found as I[F] | undefined);
    };
  return {
    after: view(inputs),
    before: view(exists ? olds : {}),
    removes: (field) => isPresent(olds[String(field)]) && !isPresent(inputs[String(field)]),
    hint: (hidden) => (containsUnknown(news[hidden]) ? undefined : news[hidden]),
    creates,
    settings,
  };
}
