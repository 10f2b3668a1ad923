import type { Kind } from "../../definition/kind.js";
import {
  COMMON_INPUTS,
  containsUnknown,
  equal,
  hasVisible,
  isPresent,
  type Properties,
  stringOf,
  URN_KEY,
} from "../../definition/properties.js";
import { customTimeouts, timeoutsOf } from "../../definition/timeouts.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { diagnosticsSchema } from "../../diagnostics/diagnostics-schema.js";
import { type Checked, check } from "../../plan/check.js";
import type { Difference } from "../../plan/diff.js";
import type { PlannedNames } from "../../plan/planned-names.js";
import type { Settings } from "../../settings/settings.js";
import { Operation } from "../../stack/operation.js";
import type { Scope } from "../../stack/scope.js";
import {
  CONSTRUCTOR_FAILURES_KEY,
  IMPORT_KEY,
  listIn,
  PROVIDER_KEY,
  REPLACE_KEY,
  SECRETS_KEY,
  TIMEOUTS_KEY,
  withoutClassInputs,
} from "../class-inputs.js";

/*
 * The host passes a hook neither the URN nor options, so the class adds them to the inputs. They are stored with the
 * inputs and the outputs, because `delete` and `read` receive only outputs.
 */

/** What only describes the program: a change of it does not change the resource. */
const NOTES: readonly string[] = [URN_KEY, SECRETS_KEY];

const STORED: readonly string[] = [...NOTES, IMPORT_KEY, TIMEOUTS_KEY, PROVIDER_KEY];

const PREFIX = "urn:pulumi:";
const typeOf = (kind: string): string => `pulumi-nodejs:dynamic/cloudservices:${kind}::`;

/** Returns a URN as it is stored: without what each resource of its kind has in it. */
const shortUrn = (kind: string, urn: string): string =>
  urn.startsWith(PREFIX) ? urn.slice(PREFIX.length).replace(typeOf(kind), "*::") : urn;

/** Returns the URN of a resource, from the class or from the state. */
export function urnIn(kind: string, values: Properties): string | undefined {
  const urn = stringOf(values, URN_KEY);
  if (urn === undefined || urn.startsWith(PREFIX)) return urn;
  return PREFIX + urn.replace("*::", typeOf(kind));
}

/** Returns what the class has added to stored inputs or outputs. */
export const storedClassInputs = (values: Properties): Properties =>
  Object.fromEntries(STORED.filter((key) => isPresent(values[key])).map((key) => [key, values[key]]));

/** Returns the operation of a hook. */
export const operationOf = <I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Properties,
): Operation<I, R> =>
  new Operation(scope, {
    urn: urnIn(scope.kind.name, values) ?? "",
    timeouts: timeoutsOf(values[TIMEOUTS_KEY], scope.kind.timeouts),
    secrets: listIn(values, SECRETS_KEY),
    isImport: values[IMPORT_KEY] === true,
  });

/** Validates the inputs of a program, with those that the class adds. */
export function checkWithClassInputs<I extends object, R extends object>(
  kind: Kind<I, R>,
  olds: Properties,
  news: Properties,
  settings: Settings,
  names: PlannedNames,
): Checked {
  // Reported alone, because they may be the cause of failures in the inputs.
  const rejected = constructorFailures(news);
  if (rejected.length > 0) return { inputs: {}, failures: rejected, notes: [] };

  const before = withoutClassInputs(olds);
  // Like `adopt`, it only affects the creation.
  const isImport = (hasVisible(before) ? olds : news)[IMPORT_KEY] === true;
  const replaceOnChanges = listIn(news, REPLACE_KEY);
  const declaration = { urn: urnIn(kind.name, news), replaceOnChanges, isImport };
  const checked = check(kind, before, withoutClassInputs(news), declaration, settings, names);
  const inputs = { ...checked.inputs };
  for (const key of [SECRETS_KEY, TIMEOUTS_KEY]) if (isPresent(news[key])) inputs[key] = news[key];
  if (declaration.urn !== undefined) inputs[URN_KEY] = shortUrn(kind.name, declaration.urn);
  if (isImport && isPresent(inputs["adopt"])) inputs[IMPORT_KEY] = true;
  return { ...checked, inputs, failures: [...checked.failures, ...timeoutFailures(news)] };
}

/** Returns whether the resource changes. Undefined lets the engine compare the inputs. */
export function changesOf(
  { needsWork, changed }: Difference,
  outputs: Properties,
  news: Properties,
): boolean | undefined {
  if (needsWork) return true;
  return changed.length === 0 && hasOnlyMoved(outputs, news) ? false : undefined;
}

const hasOnlyMoved = (outputs: Properties, news: Properties): boolean =>
  NOTES.some((key) => !equal(outputs[key], news[key])) &&
  [...COMMON_INPUTS, ...STORED].every((key) => NOTES.includes(key) || equal(outputs[key], news[key]));

function constructorFailures(news: Properties): readonly Diagnostic[] {
  const failures = news[CONSTRUCTOR_FAILURES_KEY];
  if (!Array.isArray(failures)) return [];
  const { data } = diagnosticsSchema.safeParse(failures);
  // Another version of this package may have written another shape.
  return data ?? failures.map((failure) => ({ code: "PROGRAM_INVALID", summary: String(failure) }));
}

function timeoutFailures(news: Properties): Diagnostic[] {
  const timeouts = news[TIMEOUTS_KEY];
  if (!isPresent(timeouts) || containsUnknown(timeouts)) return [];
  const issue = customTimeouts.safeParse(timeouts).error?.issues[0];
  if (issue === undefined) return [];
  return [{ code: "INPUT_INVALID", summary: `${[TIMEOUTS_KEY, ...issue.path].join(".")} ${issue.message}` }];
}
