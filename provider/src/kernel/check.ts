import { changedFields, effect, same } from "./changes.js";
import { customTimeouts } from "./durations.js";
import { type Failure, fieldsOf, type Input, type Kind, type Planned } from "./kind.js";
import { withArticle } from "./memory.js";
import type { NamesInPlan } from "./named.js";
import { nearest } from "./nearest.js";
import type { Settings } from "./settings.js";
import {
  containsUnknown,
  isHidden,
  isPresent,
  NAME_KEY,
  REFUSED_KEY,
  RETAIN_KEY,
  stringOf,
  URN_KEY,
  type Values,
} from "./values.js";

export interface Checked {
  readonly inputs: Values;
  readonly failures: readonly Failure[];
}

/** Inputs that every kind has; neither is ever sent to the service. */
const COMMON = ["adopt", "customTimeouts"];

/**
 * Validates the inputs and brings them into the form in which they are compared and stored: defaults and derived
 * names filled in, and the old spelling kept where the new one means the same.
 */
export function check<I extends object, R extends object>(
  kind: Kind<I, R>,
  olds: Values,
  news: Values,
  settings: Settings,
  names: NamesInPlan,
): Checked {
  // Told alone, because what is wrong around the inputs may be the cause of what is wrong with them.
  const refused = refusals(news);
  if (refused.length > 0) return { inputs: {}, failures: refused };

  const exists = Object.keys(olds).some((key) => !isHidden(key));
  const failures: Failure[] = unknownInputs(kind, news);
  const inputs: Values = {};

  for (const [field, input] of fieldsOf(kind)) {
    // A default that came with a newer version is no change of a resource that was made without it.
    // And what the program does not mention is not changed by adopting.
    const unasked = exists ? olds[field] === undefined : isPresent(news["adopt"]);
    const otherwise = unasked ? undefined : input.default;
    const value = isPresent(news[field]) ? news[field] : otherwise;
    if (value === undefined) {
      const name = kind.naming?.field === field ? nameFor(kind, olds, news, settings, names) : undefined;
      if (name !== undefined) inputs[field] = name;
      else if (!input.optional) failures.push(failure(field, input, "is required"));
      continue;
    }
    const complaint = containsUnknown(value) ? undefined : complaintAbout(input, value, settings);
    if (complaint !== undefined) failures.push(failure(field, input, complaint, value));
    inputs[field] = complaint === undefined ? keepSpelling(input, olds[field], value) : value;
  }
  failures.push(...common(kind, exists, olds, news, inputs));

  const urn = stringOf(news, URN_KEY);
  if (exists && urn !== undefined) names.existing(urn, stringOf(olds, kind.naming?.field ?? "") ?? "");
  // Where the resource stands now; that it stood elsewhere is no change, says the diff.
  if (urn !== undefined) inputs[URN_KEY] = urn;
  const derived = derivedName(kind, exists, olds, news, inputs);
  if (derived !== undefined) inputs[NAME_KEY] = derived;
  if (urn !== undefined) names.adopting(urn, news["adopt"]);
  if (urn !== undefined && kind.naming) names.given(urn, isPresent(news[kind.naming.field]));

  // Known only from the inputs of the last run, so it has to be among them where it decides something.
  const retains = news[RETAIN_KEY] === true && (isUndeletable(kind, settings) || olds[RETAIN_KEY] === true);
  if (retains) inputs[RETAIN_KEY] = true;

  if (failures.length === 0) failures.push(...acrossFields(kind, exists, olds, news, inputs, settings));
  // Not planned here: `replaceOnChanges`, or outputs that demand it.
  const replacing = !exists && urn !== undefined && names.isReplacement(urn);
  if (failures.length === 0 && replacing)
    failures.push(...replacement(kind, "replacing it", news, news, settings));
  return { inputs, failures };
}

function refusals(news: Values): Failure[] {
  const reasons = news[REFUSED_KEY];
  return (Array.isArray(reasons) ? reasons : []).map((reason) => ({ property: "", reason: String(reason) }));
}

/**
 * The engine prints the value of the property that a failure names, also where the program has made a secret of it,
 * so failures about single fields name none and tell themselves what can be told of the value.
 */
function failure(field: string, input: Input<unknown, never>, reason: string, value?: unknown): Failure {
  const shown = input.secret ? "" : showable(value);
  return { property: "", reason: `${field}${shown && ` (${shown})`} ${reason}` };
}

/** What is never a secret: numbers and, of a URL, where it leads but not to what. */
function showable(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || !URL.canParse(value)) return "";
  const { protocol, host } = new URL(value);
  return `${protocol}//${host}/…`;
}

function unknownInputs<I extends object, R extends object>(kind: Kind<I, R>, news: Values): Failure[] {
  const known = [...Object.keys(kind.inputs), ...COMMON];
  return Object.keys(news)
    .filter((key) => !isHidden(key) && !known.includes(key) && isPresent(news[key]))
    .map((key) => {
      const near = nearest(key, known);
      // The value may be a secret under a misspelt name, so the property is not named to the engine.
      return {
        property: "",
        reason: `${kind.name} has no input "${key}"${near ? `; did you mean "${near}"?` : ""}`,
      };
    });
}

function complaintAbout(
  input: Input<unknown, never>,
  value: unknown,
  settings: Settings,
): string | undefined {
  const parsed = input.schema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const at = issue?.path.map((step) => `[${String(step)}]`).join("") ?? "";
    return `${at}${at && " "}${issue?.message ?? "is not valid"}`;
  }
  if (input.listed === undefined || settings.allowUnlisted) return undefined;
  for (const member of Array.isArray(value) ? value : [value]) {
    if (typeof member !== "string" || input.listed.includes(member)) continue;
    const near = nearest(member, input.listed);
    const hint = near ? ` Did you mean "${near}"?` : "";
    return (
      `"${member}" is not in the specification's list: ${input.listed.join(", ")}.${hint} ` +
      "If the service has it all the same, set cloudservices:allowUnlisted to true"
    );
  }
  return undefined;
}

function keepSpelling(input: Input<unknown, never>, old: unknown, value: unknown): unknown {
  if (!isPresent(old) || containsUnknown(old) || containsUnknown(value)) return value;
  return same(input, old, value) ? old : value;
}

/** The name for a resource that the program does not name. An adopted one keeps the name that it has. */
function nameFor<I extends object, R extends object>(
  kind: Kind<I, R>,
  olds: Values,
  news: Values,
  settings: Settings,
  names: NamesInPlan,
): string | undefined {
  const { naming } = kind;
  const urn = stringOf(news, URN_KEY);
  if (naming === undefined || urn === undefined) return undefined;
  const kept = stringOf(olds, NAME_KEY) ?? stringOf(olds, naming.field);
  if (kept !== undefined || isPresent(news["adopt"]) || isPresent(olds["adopt"])) return kept;
  return names.derive(naming.form, urn, settings.namespace);
}

/** The derived name, as long as the resource has it. */
function derivedName<I extends object, R extends object>(
  kind: Kind<I, R>,
  exists: boolean,
  olds: Values,
  news: Values,
  inputs: Values,
): string | undefined {
  if (kind.naming === undefined) return undefined;
  const name = stringOf(inputs, kind.naming.field);
  if (exists) return name === stringOf(olds, NAME_KEY) ? name : undefined;
  return isPresent(news[kind.naming.field]) ? undefined : name;
}

function common<I extends object, R extends object>(
  kind: Kind<I, R>,
  exists: boolean,
  olds: Values,
  news: Values,
  inputs: Values,
): Failure[] {
  const failures: Failure[] = [];
  const limits = news["customTimeouts"];
  if (isPresent(limits)) {
    const parsed = customTimeouts.safeParse(limits);
    if (!parsed.success && !containsUnknown(limits)) {
      const issue = parsed.error.issues[0];
      failures.push({ property: "customTimeouts", reason: `${issue?.path.join(".")} ${issue?.message}` });
    }
    inputs["customTimeouts"] = limits;
  }
  // Adopting is a matter of creation: afterwards, neither giving nor removing it is a change.
  const adopt = exists ? olds["adopt"] : news["adopt"];
  if (!isPresent(adopt)) return failures;
  if (kind.createIsIdempotent) {
    failures.push({
      property: "adopt",
      reason: `${withArticle(kind.name)} needs no adopting: declaring it takes it over`,
    });
  } else if (kind.occurrence) {
    failures.push({
      property: "adopt",
      reason: `${withArticle(kind.name)} leaves nothing behind that could be adopted`,
    });
  } else if (!containsUnknown(adopt) && (typeof adopt !== "string" || adopt === "")) {
    failures.push({ property: "adopt", reason: `must be the id of an existing ${kind.name}` });
  }
  inputs["adopt"] = adopt;
  return failures;
}

function acrossFields<I extends object, R extends object>(
  kind: Kind<I, R>,
  exists: boolean,
  olds: Values,
  news: Values,
  inputs: Values,
  settings: Settings,
): Failure[] {
  const changed = exists ? changedFields(kind, olds, inputs) : [];
  const replaced = changed.filter(([, input]) => effect(kind, input, inputs, settings) === "replace");
  const failures = kind.rules?.(plannedView(olds, news, inputs, settings, exists, replaced.length > 0)) ?? [];
  if (replaced.length > 0) {
    const cause = `a change of ${replaced.map(([field]) => field).join(", ")}`;
    failures.push(...replacement(kind, cause, olds, news, settings));
  } else if (settings.api === "documented") failures.push(...undocumented(kind, changed));
  return failures;
}

const isUndeletable = <I extends object, R extends object>(kind: Kind<I, R>, settings: Settings): boolean =>
  kind.delete !== undefined && settings.api === "documented" && settings.undeletable === "error";

/** What a resource that replaces another may not do. */
function replacement<I extends object, R extends object>(
  kind: Kind<I, R>,
  cause: string,
  olds: Values,
  news: Values,
  settings: Settings,
): Failure[] {
  const failures: Failure[] = [];
  if (isPresent(news["adopt"])) {
    failures.push({
      property: "",
      reason:
        `${cause} makes a new resource, which may not adopt the old one. ` +
        "Remove `adopt` from the program; for what an interrupted replacement has left, set cloudservices:adoptInterrupted to true",
    });
  }
  // It would make the new one, perhaps pay for it, and then fail to delete the old one, in every run. The engine goes
  // by the option that the old one had in the last run.
  if (isUndeletable(kind, settings) && olds[RETAIN_KEY] !== true) {
    failures.push({
      property: "",
      reason:
        `${cause} makes a new ${kind.name}, and the specification shows no request that deletes the old one ` +
        "(cloudservices:api is documented). Put the old value back, or leave the old one behind at the service: set " +
        "cloudservices:undeletable to abandon, or run `pulumi up` with the option `retainOnDelete: true` on the " +
        "resource and without any other change first",
    });
  }
  return failures;
}

/** In the mode `documented`, a change without a documented request; replacing instead would lose data. */
function undocumented<I extends object, R extends object>(
  kind: Kind<I, R>,
  changed: readonly [string, Input<unknown, R>][],
): Failure[] {
  return changed
    .filter(([, input]) => input.onChange === "update" && !input.documentedChange)
    .map(([field, input]) =>
      failure(
        field,
        input,
        `cannot be changed: the specification shows no request that updates ${withArticle(kind.name)} (cloudservices:api is documented). ` +
          "Put the old value back, add the field to `ignoreChanges`, set cloudservices:api to conventional, or set " +
          "cloudservices:undeletable to abandon so that a new one is made and the old one is left behind",
      ),
    );
}

/** The rules across fields for a resource that is to be taken from what it is to what the program asks for. */
export const rulesOn = <I extends object, R extends object>(
  kind: Kind<I, R>,
  is: Values,
  inputs: Values,
  settings: Settings,
): readonly Failure[] => kind.rules?.(plannedView(is, {}, inputs, settings, true, false)) ?? [];

function plannedView<I extends object>(
  olds: Values,
  news: Values,
  inputs: Values,
  settings: Settings,
  exists: boolean,
  replaced: boolean,
): Planned<I> {
  // Both maps hold values that the kind's own schemas have accepted.
  const view = (values: Values) =>
    function value<F extends keyof I>(field: F): I[F] | undefined {
      const found = values[String(field)];
      return containsUnknown(found) ? undefined : (found as I[F] | undefined);
    };
  const removes = (field: keyof I) => isPresent(olds[String(field)]) && !isPresent(inputs[String(field)]);
  return {
    now: view(inputs),
    before: view(exists ? olds : {}),
    removes,
    aside: (hidden) => (containsUnknown(news[hidden]) ? undefined : news[hidden]),
    creates: !exists || replaced,
    settings,
  };
}
