import { IMPORT_KEY, type Properties, stringOf, URN_KEY } from "../../definition/properties.js";
import { timeoutsOf } from "../../definition/timeouts.js";
import { Operation } from "../../stack/operation.js";
import type { Scope } from "../../stack/scope.js";

/** Returns the operation of a hook. The host passes neither URN nor options, so the class adds them to the inputs. */
export const operationOf = <I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Properties,
): Operation<I, R> =>
  new Operation(scope, {
    urn: stringOf(values, URN_KEY) ?? "",
    timeouts: timeoutsOf(values, scope.kind.timeouts),
    isImport: values[IMPORT_KEY] === true,
  });
