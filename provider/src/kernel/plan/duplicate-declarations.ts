import { isEquivalent } from "../definition/changes.js";
import type { Kind } from "../definition/kind.js";
import { fieldsOf } from "../definition/kind-values.js";
import { containsUnknown, isPresent, type Properties } from "../definition/properties.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { setting } from "../settings/setting-change.js";
import { describeResource } from "../state/describe.js";
import type { Proposal } from "./proposal.js";

interface Duplicates {
  readonly failures: readonly Diagnostic[];
  /** Warnings about a name that another resource has, where the service may allow both. */
  readonly notes: readonly string[];
}

const NONE: Duplicates = { failures: [], notes: [] };

/**
 * Rejects a resource that the program declares twice: the same name and no other field that differs. If the service
 * allows a name only once, the name alone decides. The engine checks all resources of a program in one process, so the
 * preview reports it regardless of the order of creation.
 */
export function duplicateDeclarations<I extends object, R extends object>(
  { kind, olds, urn, exists, settings, names }: Proposal<I, R>,
  inputs: Properties,
): Duplicates {
  const by = identifyingFields(kind);
  if (urn === undefined || by.length === 0 || kind.naming?.expires) return NONE;
  const { declared } = names;
  // The second check of a replacement gets no old inputs.
  const isNew =
    !exists && names.isReplacement(urn)
      ? (declared.of(urn)?.isNew ?? false)
      : !isPresent(inputs["adopt"]) && !(exists && isSameName(kind, olds, inputs));
  const resource = { kind: kind.name, inputs, isNew, nameKey: nameKeyOf(kind, inputs) };
  declared.note(urn, resource);
  const isUnique = kind.naming?.unique === true || kind.idFrom !== undefined;
  if (!isUnique && settings.duplicates === "allow") return NONE;
  const namesakes = declared
    .namesakes(urn, resource)
    .filter(([, other]) => (isNew || other.isNew) && isSameName(kind, other.inputs, inputs));
  const twin = isUnique ? namesakes[0] : namesakes.find(([, other]) => isSame(kind, other.inputs, inputs));
  if (twin !== undefined) return { failures: [declaredTwice(kind, twin[0], { by, isUnique })], notes: [] };
  const notes = namesakes
    .slice(0, 1)
    .map(
      ([other]) =>
        `${describeResource(kind, other)} has the same ${by.join(" and ")}. Other inputs differ, so the service will have both.`,
    );
  return { failures: [], notes };
}

function declaredTwice(
  kind: { readonly name: string },
  twin: string,
  { by, isUnique }: { readonly by: readonly string[]; readonly isUnique: boolean },
): Diagnostic {
  const other = describeResource(kind, twin);
  const fields = by.join(" and ");
  const remove = { when: "if they are the same", line: "remove one of them" };
  const another = { when: "to create both", line: `another ${by[0]} for one of them` };
  if (isUnique) {
    return {
      code: "DECLARED_TWICE",
      summary: `${fields} is also the ${fields} of ${other}, and the service allows it only once`,
      fixes: [remove, another],
    };
  }
  return {
    code: "DECLARED_TWICE",
    summary: `${fields} and all other inputs are also those of ${other}`,
    fixes: [remove, another, { when: "to create two alike", line: [setting("duplicates", "allow")] }],
  };
}

/** Returns the inputs that identify a resource at the service. */
const identifyingFields = <I extends object, R extends object>({
  identity,
  idFrom,
}: Kind<I, R>): readonly string[] => identity?.by ?? (idFrom ? [idFrom] : []);

/** Returns the values of the identifying fields that have only one spelling: two resources of the same name share them. */
function nameKeyOf<I extends object, R extends object>(kind: Kind<I, R>, inputs: Properties): string {
  const exact = fieldsOf(kind).filter(
    ([field, { isEquivalent }]) => identifyingFields(kind).includes(field) && !isEquivalent,
  );
  return JSON.stringify(exact.map(([field]) => inputs[field]));
}

/** Returns whether both request the same name, as far as it is known. */
function isSameName<I extends object, R extends object>(
  kind: Kind<I, R>,
  a: Properties,
  b: Properties,
): boolean {
  const chosen = kind.identity?.chosen;
  return (
    identifyingFields(kind).every((field) => isPresent(a[field]) && isSameField(kind, field, a, b)) &&
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
