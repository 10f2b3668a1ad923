import { capabilitiesOf } from "../definition/capabilities.js";
import { changedFields, effectOf, lacksUpdate } from "../definition/changes.js";
import type { Input, Kind, Planned } from "../definition/kind.js";
import { idInInputs } from "../definition/kind-values.js";
import { containsUnknown, isPresent, type Properties, RETAIN_KEY } from "../definition/properties.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { setting } from "../settings/setting-change.js";
import type { Settings } from "../settings/settings.js";
import { withArticle } from "../state/describe.js";
import { shownInput } from "./check-failure.js";
import type { Declaration, Proposal } from "./proposal.js";

/** Checks inputs that are valid on their own against the kind's rules and the effects of the plan. */
export function checkAcrossFields<I extends object, R extends object>(
  proposal: Proposal<I, R>,
  inputs: Properties,
): { failures: Diagnostic[]; notes: string[] } {
  const { kind, olds, exists, settings } = proposal;
  const changed = exists ? changedFields(kind, olds, inputs) : [];
  // An unknown flag may cause a replacement later; that is no reason to reject the plan.
  const known = Object.fromEntries(Object.entries(inputs).filter(([, value]) => !containsUnknown(value)));
  const replaced = changed.filter(
    ([field, input]) =>
      isReplacedByOption(proposal, field) || effectOf(kind, input, known, settings) === "replace",
  );
  const planned: Planned<I> = plannedView<I, R>(proposal, inputs, !exists || replaced.length > 0);
  const failures = kind.validate?.(planned) ?? [];
  if (replaced.length > 0) {
    const cause = `a change of ${replaced.map(([field]) => field).join(", ")}`;
    failures.push(...replacementFailures(proposal, cause, olds));
  } else failures.push(...undocumented(kind, changed, settings));
  return { failures, notes: kind.notes?.(planned) ?? [] };
}

/** Returns whether `replaceOnChanges` replaces on this field. */
const isReplacedByOption = ({ replaceOnChanges }: Declaration, field: string): boolean =>
  replaceOnChanges.includes(field) || replaceOnChanges.includes("*");

export const isUndeletable = <I extends object, R extends object>(
  kind: Kind<I, R>,
  settings: Settings,
): boolean =>
  kind.delete !== undefined && !capabilitiesOf(kind, settings).delete && settings.undeletable === "error";

/** Returns the reasons why a replacement with these options is not allowed. */
export function replacementFailures<I extends object, R extends object>(
  { kind, news, settings }: Proposal<I, R>,
  cause: string,
  before: Properties,
): Diagnostic[] {
  const failures: Diagnostic[] = [];
  if (isPresent(news["adopt"])) {
    const isDerived = kind.naming !== undefined && !isPresent(news[kind.naming.field]);
    failures.push({
      code: "REPLACE_ADOPTED",
      summary: `${cause} creates a new resource, which cannot adopt the old one`,
      fixes: [
        { when: "to replace it", line: "remove `adopt` from the program" },
        {
          when: "if the adopted value was wrong",
          line: "pulumi state delete the resource, then adopt it again",
        },
        {
          when: "if an interrupted replacement left a resource",
          line: isDerived
            ? ["delete it at the service, or ", setting("adoptInterrupted", true)]
            : "delete it at the service",
        },
      ],
    });
  }
  // Each run would create and pay for a new one, then fail to delete the old one. The engine applies the option
  // `retainOnDelete` that the old one had in the last run.
  if (isUndeletable(kind, settings) && before[RETAIN_KEY] !== true) {
    failures.push({
      code: "REPLACE_UNSUPPORTED",
      summary: `${cause} creates a new ${kind.name}, and nothing can delete the old one`,
      cause: "the specification shows no request that deletes it (cloudservices:api is documented).",
      fixes: [
        { when: "to keep the resource", line: "restore the old value" },
        {
          when: "to leave the old one at the service",
          line: "pulumi up with only the option `retainOnDelete: true` added to the resource itself, then with the change",
        },
        { when: "to leave every such resource", line: [setting("undeletable", "abandon")] },
      ],
    });
  }
  return failures;
}

/** Rejects changes that no documented request makes, in the mode `documented`; replacing instead would lose data. */
function undocumented<I extends object, R extends object>(
  kind: Kind<I, R>,
  changed: readonly [string, Input<unknown, R>][],
  settings: Settings,
): Diagnostic[] {
  const capabilities = capabilitiesOf(kind, settings);
  return changed
    .filter(([, input]) => lacksUpdate(input, capabilities))
    .map(([field, input]) => ({
      code: "UPDATE_UNSUPPORTED",
      summary: `${shownInput(field, input)} cannot be changed`,
      cause: `the specification shows no request that updates ${withArticle(kind.name)} (cloudservices:api is documented).`,
      fixes: [
        {
          when: "to keep the resource as it is",
          line: `restore the old value, or the option \`ignoreChanges: ["${field}"]\``,
        },
        {
          when: "if the service has such a request",
          line: [setting("api", "conventional")],
        },
        {
          when: "to create a new one and leave the old one at the service",
          line: [setting("undeletable", "abandon")],
        },
      ],
    }));
}

/** Applies the cross-field rules to the transition of an existing resource to the program's inputs. */
export const validateTransition = <I extends object, R extends object>(
  kind: Kind<I, R>,
  current: Properties,
  inputs: Properties,
  settings: Settings,
): readonly Diagnostic[] =>
  kind.validate?.(plannedView({ olds: current, news: {}, exists: true, kind, settings }, inputs, false)) ??
  [];

type Viewed<I extends object, R extends object> = Omit<Proposal<I, R>, "names" | keyof Declaration> &
  Partial<Pick<Proposal<I, R>, "names">>;

function plannedView<I extends object, R extends object>(
  { kind, olds, news, exists, settings, names }: Viewed<I, R>,
  inputs: Properties,
  creates: boolean,
): Planned<I> {
  // The kind's own schemas have accepted the values of both maps.
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
    ofParent: (field) => {
      const id = idInInputs(kind, inputs);
      const parent = kind.owner && id && names?.declared.withId(kind.owner, id)?.inputs[field];
      return containsUnknown(parent) ? undefined : parent;
    },
    creates,
    canWait: capabilitiesOf(kind, settings).read === "direct",
    settings,
  };
}
