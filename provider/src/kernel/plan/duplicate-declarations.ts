import { isEquivalent } from "../definition/changes.js";
import type { Kind } from "../definition/kind.js";
import { fieldsOf } from "../definition/kind-values.js";
import { containsUnknown, isPresent, type Properties } from "../definition/properties.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { setting } from "../settings/setting-change.js";
import { describeResource } from "../state/describe.js";
import type { DeclaredResource } from "./declared-resources.js";
import type { Proposal } from "./proposal.js";

/**
 * Rejects a resource that the program declares twice: the same name and no other field that differs. If the service
 * requires unique names, the name alone decides. The engine checks all resources of a program in one process, so the
 * preview reports it regardless of the order of creation.
 */
export function duplicateDeclarations<I extends object, R extends object>(
  { kind, olds, urn, exists, settings, names }: Proposal<I, R>,
  inputs: Properties,
): Diagnostic[] {
  if (urn === undefined || !kind.identity || kind.naming?.expires) return [];
  const { declared } = names;
  // The second check of a replacement gets no old inputs.
  const isNew =
    !exists && names.isReplacement(urn)
      ? (declared.of(urn)?.isNew ?? false)
      : !isPresent(inputs["adopt"]) && !(exists && isSameName(kind, olds, inputs));
  declared.note(urn, { kind: kind.name, inputs, isNew });
  const isUnique = kind.naming?.unique === true;
  if (!isUnique && settings.duplicates === "allow") return [];
  const isTwin = (other: DeclaredResource): boolean =>
    (isNew || other.isNew) &&
    isSameName(kind, other.inputs, inputs) &&
    (isUnique || isSame(kind, other.inputs, inputs));
  const twin = declared.others(kind.name, urn).find(([, other]) => isTwin(other));
  if (twin === undefined) return [];
  const other = describeResource(kind, twin[0]);
  const by = kind.identity.by.join(" and ");
  const another = { when: "to create both", line: `another ${kind.identity.by[0]} for one of them` };
  if (isUnique) {
    return [
      {
        code: "DECLARED_TWICE",
        summary: `${by} is also the ${by} of ${other}, and the service allows it only once`,
        fixes: [another],
      },
    ];
  }
  return [
    {
      code: "DECLARED_TWICE",
      summary: `${by} and all other inputs are also those of ${other}`,
      fixes: [
        { when: "if they are the same", line: "remove one of them" },
        another,
        { when: "to create two alike", line: [setting("duplicates", "allow")] },
      ],
    },
  ];
}

/** Returns whether both request the same name, as far as it is known. */
function isSameName<I extends object, R extends object>(
  kind: Kind<I, R>,
  a: Properties,
  b: Properties,
): boolean {
  const { by = [], chosen } = kind.identity ?? {};
  return (
    by.every((field) => isPresent(a[field]) && isSameField(kind, field, a, b)) &&
    (chosen === undefined || isSameField(kind, chosen, a, b))
  );
}

const isSame = <I extends object, R extends object>(
  kind: Kind<I, R>,
  a: Properties,
  b: Properties,
): boolean =>
  fieldsOf(kind).every(([field, input]) => input.onChange === "record" || isSameField(kind, field, a, b));

function isSameField<I extends object, R extends object>(
  kind: Kind<I, R>,
  field: string,
  a: Properties,
  b: Properties,
): boolean {
  const input = fieldsOf(kind).find(([name]) => name === field)?.[1];
  // An unknown value may differ.
  if (!input || containsUnknown(a[field]) || containsUnknown(b[field])) return false;
  return isEquivalent(input, a[field], b[field]);
}
