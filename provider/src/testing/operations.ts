import type { Properties } from "../kernel/definition/properties.js";
import { operationOf } from "../kernel/engine/dynamic/operation.js";
import * as create from "../kernel/lifecycle/create.js";
import * as remove from "../kernel/lifecycle/delete.js";
import * as read from "../kernel/lifecycle/read.js";
import * as update from "../kernel/lifecycle/update.js";
import type { Scope } from "../kernel/stack/scope.js";

/*
 * The operations of the kernel, with the context that the adapter takes from the hidden inputs.
 */

export const createResource = <I extends object, R extends object>(scope: Scope<I, R>, values: Properties) =>
  create.createResource(operationOf(scope, values), values);

export const readResource = <I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Properties,
) => read.readResource(operationOf(scope, props), id, props);

export const updateResource = <I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  olds: Properties,
  news: Properties,
) => update.updateResource(operationOf(scope, news), id, olds, news);

export const deleteResource = <I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Properties,
) => remove.deleteResource(operationOf(scope, props), id, props);
