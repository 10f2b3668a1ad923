import { isEquivalent } from "../definition/changes.js";
import type { Input, Kind } from "../definition/kind.js";
import { fieldsOf } from "../definition/kind-values.js";
import {
  COMMON_INPUTS,
  containsUnknown,
  hasVisible,
  IMPORTED_KEY,
  isHidden,
  isPresent,
  NAME_KEY,
  type Properties,
  RETAIN_KEY,
  stringOf,
} from "../definition/properties.js";
import { misspelt, notListed } from "../definition/rules.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { didYouMean, nearMiss } from "../diagnostics/did-you-mean.js";
import type { Settings } from "../settings/settings.js";
import { withArticle } from "../state/describe.js";
import { invalidInput, shownInput } from "./check-failure.js";
import { checkAcrossFields, isUndeletable, replacementFailures } from "./cross-field.js";
import { duplicateDeclarations } from "./duplicate-declarations.js";
import type { PlannedNames } from "./planned-names.js";
import type { Declaration, Proposal } from "./proposal.js";

export interface Checked {
  readonly inputs: Properties;
  readonly failures: readonly Diagnostic[];
  /** Warnings about accepted inputs. */
  readonly notes: readonly string[];
}

/**
 * Validates the inputs and normalises them for comparison and storage: fills in defaults and derived names, and keeps
 * the old spelling when the new one is equivalent.
 */
export function check<I extends object, R extends object>(
  kind: Kind<I, R>,
  olds: Properties,
  news: Properties,
  declaration: Declaration,
  settings: Settings,
  names: PlannedNames,
): Checked {
  const exists = hasVisible(olds);
  const { urn } = declaration;
  const proposal: Proposal<I, R> = { kind, olds, news, exists, settings, names, ...declaration };
  const { inputs, failures, notes } = checkFields(proposal);
  failures.unshift(...unknownInputs(kind, news));
  failures.push(...checkCommon(proposal, inputs));

  if (urn !== undefined) noteNames(proposal, urn);
  const derived = derivedName(proposal, inputs);
  if (derived !== undefined) inputs[NAME_KEY] = derived;
  // Read from the inputs of the last run, so it is stored when it matters.
  const retains = news[RETAIN_KEY] === true && (isUndeletable(kind, settings) || olds[RETAIN_KEY] === true);
  if (retains) inputs[RETAIN_KEY] = true;

  if (failures.length === 0) {
    const across = checkAcrossFields(proposal, inputs);
    failures.push(...across.failures);
    notes.push(...across.notes);
  }
  // Replacements with another cause: `replaceOnChanges`, or outputs that require it.
  const replacing = !exists && urn !== undefined && names.isReplacement(urn);
  if (failures.length === 0 && replacing)
    failures.push(...replacementFailures(proposal, "replacing it", news));
  const duplicates = duplicateDeclarations(proposal, inputs);
  failures.push(...duplicates.failures);
  notes.push(...duplicates.notes);
  return { inputs, failures, notes };
}

function checkFields<I extends object, R extends object>(proposal: Proposal<I, R>) {
  const { kind, olds, news, exists, settings } = proposal;
  const inputs: Properties = {};
  const failures: Diagnostic[] = [];
  const notes: string[] = [];
  for (const [field, input] of fieldsOf(kind)) {
    // No default for a resource that a version without it created, and none for what a program omits that adopts or
    // imports.
    const isImported = olds[IMPORTED_KEY] === true;
    const skipsDefault = exists ? isImported || olds[field] === undefined : isPresent(news["adopt"]);
    const value = isPresent(news[field]) ? news[field] : skipsDefault ? undefined : input.default;
    if (value === undefined) {
      const name = kind.naming?.field === field ? nameFor(proposal) : undefined;
      const implied = name ?? (exists ? spelling(input, olds[field], undefined) : undefined);
      if (implied !== undefined) inputs[field] = implied;
      // What an import has read may lack what the service does not return, and with the option `ignoreChanges` it stays so.
      else if (!input.optional && news[IMPORTED_KEY] !== true && !(exists && olds[field] === undefined))
        failures.push(invalidInput(field, input, "is required"));
      continue;
    }
    const problem = containsUnknown(value) ? undefined : problemWith(field, input, value, settings);
    if (problem !== undefined) failures.push(problem);
    const spelled = problem === undefined && exists ? spelling(input, olds[field], value) : value;
    if (spelled !== undefined) inputs[field] = spelled;
    // Warn once: the service has already accepted the value that the resource has.
    if (problem === undefined && !isEquivalent(input, olds[field], value))
      notes.push(...notListedNotes(field, input, value, settings));
  }
  return { inputs, failures, notes };
}

/** Records the name for other resources and later steps of this run. */
function noteNames<I extends object, R extends object>(
  { kind: { naming }, olds, news, exists, names }: Proposal<I, R>,
  urn: string,
): void {
  // The inputs of an adopted resource do not contain its name, which may equal the first derived one.
  if (exists) names.existing(urn, stringOf(olds, naming?.field ?? "") ?? stringOf(olds, "adopt") ?? "");
  names.adopting(urn, news["adopt"]);
  if (naming) names.given(urn, isPresent(news[naming.field]));
}

function unknownInputs<I extends object, R extends object>(kind: Kind<I, R>, news: Properties): Diagnostic[] {
  const known = [...Object.keys(kind.inputs), ...COMMON_INPUTS.filter((key) => !isHidden(key))];
  return Object.keys(news)
    .filter((key) => !isHidden(key) && !known.includes(key) && isPresent(news[key]))
    .map((key) => {
      const near = didYouMean(key, known);
      return {
        code: "INPUT_UNKNOWN",
        summary: `${kind.name} has no input "${key}"`,
        ...(near ? { fixes: [{ when: "if it is misspelt", line: near }] } : {}),
      };
    });
}

/** Returns whether a value contains the text into which Pulumi's SDKs convert an Output. */
const containsUsedOutput = (value: unknown): boolean =>
  typeof value === "string"
    ? /Calling (\[to(String|JSON)\] on an \[Output<T>\]|__str__ on an Output\[T\]) is not supported/.test(
        value,
      )
    : Array.isArray(value) && value.some(containsUsedOutput);

function problemWith(
  field: string,
  input: Input<unknown, never>,
  value: unknown,
  settings: Settings,
): Diagnostic | undefined {
  if (containsUsedOutput(value)) {
    return {
      code: "INPUT_INVALID",
      summary: `${field} contains an Output as text, not its value`,
      cause: "a template string or `+` cannot read a value that is known only later.",
      fixes: [
        {
          when: "in TypeScript and JavaScript",
          line: "pulumi.interpolate before the template: pulumi.interpolate`…`",
        },
        { when: "in Python", line: "pulumi.Output.format(…)" },
      ],
    };
  }
  const parsed = input.schema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const at = issue?.path.map((step) => `[${String(step)}]`).join("") ?? "";
    return invalidInput(field, input, `${at}${at && " "}${issue?.message ?? "is not valid"}`, value);
  }
  if (input.allowedValues === undefined || settings.allowUnlisted) return undefined;
  for (const member of Array.isArray(value) ? value : [value]) {
    if (typeof member !== "string" || input.allowedValues.includes(member)) continue;
    const near = nearMiss(member, input.allowedValues);
    if (near === undefined) continue;
    return misspelt(
      `${shownInput(field, input, value)} "${member}" is not in the specification's list`,
      input.allowedValues,
      near,
    );
  }
  return undefined;
}

/** Returns warnings instead of failures, so that a new plan or image works without a setting. */
function notListedNotes(
  field: string,
  { allowedValues: listed }: Input<unknown, never>,
  value: unknown,
  { allowUnlisted }: Settings,
): string[] {
  if (listed === undefined || allowUnlisted) return [];
  return [value]
    .flat()
    .filter((member) => typeof member === "string" && !listed.includes(member))
    .map((member) => notListed(field, String(member), listed));
}

/** Returns the old spelling if the new value is equivalent. */
function spelling(input: Input<unknown, never>, old: unknown, value: unknown): unknown {
  if (containsUnknown(old) || containsUnknown(value)) return value;
  return isEquivalent(input, old, value) ? (old ?? undefined) : value;
}

/** Returns the name for a resource that the program does not name. An adopted one keeps its own. */
function nameFor<I extends object, R extends object>({
  kind: { naming },
  exists,
  olds,
  news,
  urn,
  settings,
  names,
}: Proposal<I, R>): string | undefined {
  if (naming === undefined || urn === undefined) return undefined;
  const kept = stringOf(olds, NAME_KEY) ?? stringOf(olds, naming.field);
  // A resource that exists without a known name was imported or adopted.
  if (kept !== undefined || exists || isPresent(news["adopt"])) return kept;
  return names.derive(naming.form, urn, settings.namespace);
}

/** Returns the derived name while the resource has it. */
function derivedName<I extends object, R extends object>(
  { kind, exists, olds, news }: Proposal<I, R>,
  inputs: Properties,
): string | undefined {
  if (kind.naming === undefined) return undefined;
  const name = stringOf(inputs, kind.naming.field);
  if (exists) return name === stringOf(olds, NAME_KEY) ? name : undefined;
  return isPresent(news[kind.naming.field]) ? undefined : name;
}

function checkCommon<I extends object, R extends object>(
  { kind, exists, olds, news, isImport }: Proposal<I, R>,
  inputs: Properties,
): Diagnostic[] {
  const failures: Diagnostic[] = [];
  // `adopt` only affects creation: afterwards, neither adding nor removing it is a change.
  const adopt = exists ? olds["adopt"] : news["adopt"];
  if (!isPresent(adopt)) return failures;
  if (kind.createIsIdempotent) {
    failures.push({
      code: "INPUT_INVALID",
      summary: `${withArticle(kind.name)} need not be ${isImport ? "imported" : "adopted"}: declaring it takes over the existing one`,
    });
  } else if (kind.action) {
    failures.push({
      code: "INPUT_INVALID",
      summary: `${withArticle(kind.name)} cannot be ${isImport ? "imported" : "adopted"}: it leaves nothing at the service`,
    });
  } else if (!containsUnknown(adopt) && (typeof adopt !== "string" || adopt === "")) {
    failures.push({ code: "INPUT_INVALID", summary: `adopt must be the id of an existing ${kind.name}` });
  }
  inputs["adopt"] = adopt;
  return failures;
}
