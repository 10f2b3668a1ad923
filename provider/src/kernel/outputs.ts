import { fieldsOf, type Kind, shown } from "./kind.js";
import { isMasked, isShortened } from "./masks.js";
import { type Found, type Normalised, recall, remember } from "./memory.js";
import { settledValue } from "./normalised.js";
import type { Settings } from "./settings.js";
import { BESIDE, isPresent, STATE_KEY, type Values, withoutUndefined } from "./values.js";

/** A resource as the engine keeps it. */
export interface Kept {
  readonly id: string;
  readonly outputs: Values;
  readonly inputs?: Values;
}

/** The value says something; of a secret, no less than what is known of it. */
const tells = (value: unknown, secret: true | undefined, before: unknown): boolean =>
  isPresent(value) && !(secret && (isMasked(value) || isShortened(value, before)));

/** What an operation found out about a resource, and the fields that its requests carried. */
export type Finding = Omit<Found, "given" | "normalised"> & { readonly sent?: readonly string[] };

/** The inputs of a definition with these values, and the ones beside them as they stand in others. */
export function withBeside(values: Values, others: Values): Values {
  return { ...Object.fromEntries(BESIDE.map((key) => [key, others[key]])), ...values };
}

/** The inputs that the program gave or that got a default. */
const givenIn = <I extends object, R extends object>(kind: Kind<I, R>, values: Values): string[] =>
  Object.keys(kind.inputs).filter((field) => isPresent(values[field]));

/**
 * The outputs of a resource: the inputs it holds, in the program's spelling where that still means what the service
 * says, and what only the service knows. What an answer leaves out is unknown, and stays as it was.
 */
export function outputsOf<I extends object, R extends object>(
  kind: Kind<I, R>,
  settings: Settings,
  held: Values,
  remote: R | undefined,
  previous: Values,
  { sent = [], ...found }: Finding,
): Values {
  const outputs: Values = {};
  const before = recall(previous);
  const normalised: Record<string, Normalised> = {};
  for (const [field, input] of fieldsOf(kind)) {
    const said = shown(input, remote);
    if (!isPresent(held[field])) {
      if (tells(said, input.secret, previous[field])) outputs[field] = said;
      // The service chose it. What the program gave and gives no longer is unknown until the service shows it.
      else if (!before?.given.includes(field)) outputs[field] = previous[field];
      continue;
    }
    outputs[field] = held[field];
    let pair = before?.normalised?.[field];
    if (tells(said, input.secret, held[field])) {
      const isSent = sent.includes(field);
      const answered = { held: held[field], said, previous: previous[field], pair, isSent };
      ({ value: outputs[field], pair } = settledValue(input, answered));
    }
    if (pair) normalised[field] = pair;
  }
  for (const [name, output] of Object.entries(kind.outputs)) {
    const said = shown(output, remote, outputs);
    if (tells(said, output.secret, previous[name])) outputs[name] = said;
    else if (said === null) continue;
    else if (outputs[name] === undefined) outputs[name] = previous[name];
  }
  for (const key of BESIDE) outputs[key] = held[key];
  const naming = kind.naming?.field ?? "";
  const owed = found.owed ?? before?.owed ?? {};
  outputs[STATE_KEY] = remember(settings, {
    given: givenIn(kind, held),
    // Of the name that it had; one that was changed since is the one that was asked for.
    asked: outputs[naming] === previous[naming] ? before?.asked : undefined,
    read: before?.read,
    seen: before?.seen,
    entry: before?.entry,
    ...found,
    normalised: Object.keys(normalised).length === 0 ? undefined : normalised,
    owed: found.settled || Object.keys(owed).length === 0 ? undefined : owed,
    // Only an answer is a proof that the resource is at this address, under this key.
    ...(remote === undefined && before ? { baseUrl: before.baseUrl, key: before.key } : {}),
    everSettled: found.settled || found.everSettled || before?.everSettled || false,
  });
  return withoutUndefined(outputs);
}

/** The inputs that a resource holds, for the engine to compare with the program's: this is how drift is seen. */
export function inputsHeld<I extends object, R extends object>(
  kind: Kind<I, R>,
  before: Values,
  outputs: Values,
): Values {
  const memory = recall(outputs);
  const inputs: Values = {};
  for (const field of memory?.given ?? []) inputs[field] = outputs[field];
  const naming = kind.naming?.field;
  // A stranger had the name that the program's inputs ask for; the substitute is not drift.
  if (naming !== undefined && memory?.asked !== undefined && outputs[naming] === before[naming])
    inputs[naming] = memory.asked;
  for (const key of BESIDE) inputs[key] = before[key];
  return withoutUndefined(inputs);
}
