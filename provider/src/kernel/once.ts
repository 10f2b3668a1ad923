import { createListed } from "./create-listed.js";
import { createUnique } from "./create-unique.js";
import { occur } from "./occurrence.js";
import { type Birth, type Created, orderOf, post } from "./order.js";
import type { Scope } from "./scope.js";
import type { Values } from "./values.js";

export type { Birth, Created } from "./order.js";

/**
 * Creates a resource exactly once. A creation whose response was lost is sent again only where that cannot do harm; else
 * what the service lists decides, and where nothing can decide, it stops and says what may exist.
 */
export async function createOnce<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  parse: (values: Values) => I,
  birth: Birth<R>,
): Promise<Created<R>> {
  const { kind } = scope;
  const order = orderOf(scope, values, parse, birth);
  if (kind.createIsIdempotent) return { remote: await post(scope, order), resumed: false };
  if (kind.occurrence)
    return { remote: await occur(scope, values, order.inputs, kind.occurrence), resumed: false };
  return kind.naming?.unique ? createUnique(scope, order) : createListed(scope, order);
}
