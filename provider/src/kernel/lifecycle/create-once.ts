import type { Properties } from "../definition/properties.js";
import type { Operation } from "../stack/operation.js";
import { runAction } from "./action.js";
import { createListed } from "./create-listed.js";
import { createUnique } from "./create-unique.js";
import { type Created, type CreateProgress, creationOf, sendCreate } from "./creation.js";

export type { Created, CreateProgress as Birth } from "./creation.js";

/**
 * Creates a resource exactly once. A creation whose response was lost is retried only where that is harmless. Otherwise
 * the service's list decides; where it cannot, the creation stops with an error that names what may exist.
 */
export async function createOnce<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  parse: (values: Properties) => I,
  birth: CreateProgress<R>,
): Promise<Created<R>> {
  const { kind } = operation;
  const order = creationOf(operation, values, parse, birth);
  if (kind.createIsIdempotent) return { remote: await sendCreate(operation, order), resumed: false };
  if (kind.action)
    return { remote: await runAction(operation, values, order.inputs, kind.action), resumed: false };
  return kind.naming?.unique ? createUnique(operation, order) : createListed(operation, order);
}
