import type { Kind } from "../kernel/definition/kind.js";
import type { Properties } from "../kernel/definition/properties.js";
import { withoutClassInputs } from "../kernel/engine/class-inputs.js";
import {
  changesOf,
  checkWithClassInputs,
  operationOf,
  storedClassInputs,
  urnIn,
} from "../kernel/engine/dynamic/class-inputs.js";
import * as create from "../kernel/lifecycle/create.js";
import * as remove from "../kernel/lifecycle/delete.js";
import * as read from "../kernel/lifecycle/read.js";
import * as update from "../kernel/lifecycle/update.js";
import * as plan from "../kernel/plan/diff.js";
import type { PlannedNames } from "../kernel/plan/planned-names.js";
import type { Settings } from "../kernel/settings/settings.js";
import type { Scope } from "../kernel/stack/scope.js";

/*
 * The operations of the kernel on values that contain the class inputs, which the dynamic adapter takes from them and
 * stores with them.
 */

export const check = <I extends object, R extends object>(
  kind: Kind<I, R>,
  olds: Properties,
  news: Properties,
  settings: Settings,
  names: PlannedNames,
) => checkWithClassInputs(kind, olds, news, settings, names);

export function diff<I extends object, R extends object>(
  kind: Kind<I, R>,
  outputs: Properties,
  news: Properties,
  settings: Settings,
  names: PlannedNames,
  now: number,
) {
  const context = { urn: urnIn(kind.name, news) ?? "", settings, names, now };
  const difference = plan.diff(kind, withoutClassInputs(outputs), withoutClassInputs(news), context);
  const { changed, replaces, deleteBeforeReplace } = difference;
  return { changes: changesOf(difference, outputs, news), changed, replaces, deleteBeforeReplace };
}

export async function createResource<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Properties,
) {
  const created = await create.createResource(operationOf(scope, values), withoutClassInputs(values));
  return { ...created, outputs: { ...created.outputs, ...storedClassInputs(values) } };
}

export async function readResource<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Properties,
) {
  const found = await read.readResource(operationOf(scope, props), id, withoutClassInputs(props));
  const added = storedClassInputs(props);
  return (
    found && {
      ...found,
      outputs: { ...found.outputs, ...added },
      ...(found.inputs ? { inputs: { ...found.inputs, ...added } } : {}),
    }
  );
}

export async function updateResource<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  olds: Properties,
  news: Properties,
) {
  const updating = update.updateResource(
    operationOf(scope, news),
    id,
    withoutClassInputs(olds),
    withoutClassInputs(news),
  );
  return { ...(await updating), ...storedClassInputs(news) };
}

export const deleteResource = <I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Properties,
) => remove.deleteResource(operationOf(scope, props), id, withoutClassInputs(props));
