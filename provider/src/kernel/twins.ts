import { same } from "./changes.js";
import type { Declared } from "./declared.js";
import { type Failure, fieldsOf, type Kind } from "./kind.js";
import { describe } from "./memory.js";
import type { Proposal } from "./proposal.js";
import { containsUnknown, isPresent, stringOf, URN_KEY, type Values } from "./values.js";

/**
 * Refuses a resource that the program declares twice: the same name, and no other field that differs. Of a kind whose
 * names the service protects, the name alone decides. The engine checks all resources of a program in one process, so
 * the preview says it, whichever is created first.
 */
export function twins<I extends object, R extends object>(
  { kind, olds, news, exists, settings, names }: Proposal<I, R>,
  inputs: Values,
): Failure[] {
  const urn = stringOf(news, URN_KEY);
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
  const isTwin = (other: Declared): boolean =>
    (isNew || other.isNew) &&
    isSameName(kind, other.inputs, inputs) &&
    (isUnique || isSame(kind, other.inputs, inputs));
  const twin = declared.others(kind.name, urn).find(([, other]) => isTwin(other));
  if (twin === undefined) return [];
  const other = describe(kind, { [URN_KEY]: twin[0] });
  const by = kind.identity.by.join(" and ");
  const reason = isUnique
    ? `${by} is also the ${by} of ${other}, and the service allows it only once. Give one of them another ${by}`
    : `${by} and all other inputs are also those of ${other}. Remove one of them, give it another ${kind.identity.by[0]}, or ` +
      "set cloudservices:duplicates to allow to create both";
  return [{ property: "", reason }];
}

/** Whether both ask for the same name, as far as it is known. */
function isSameName<I extends object, R extends object>(kind: Kind<I, R>, a: Values, b: Values): boolean {
  const { by = [], chosen } = kind.identity ?? {};
  return (
    by.every((field) => isPresent(a[field]) && isSameField(kind, field, a, b)) &&
    (chosen === undefined || isSameField(kind, chosen, a, b))
  );
}

const isSame = <I extends object, R extends object>(kind: Kind<I, R>, a: Values, b: Values): boolean =>
  fieldsOf(kind).every(([field, input]) => input.onChange === "record" || isSameField(kind, field, a, b));

function isSameField<I extends object, R extends object>(
  kind: Kind<I, R>,
  field: string,
  a: Values,
  b: Values,
): boolean {
  const input = fieldsOf(kind).find(([name]) => name === field)?.[1];
  // What is not known yet may differ.
  if (!input || containsUnknown(a[field]) || containsUnknown(b[field])) return false;
  return same(input, a[field], b[field]);
}
