import {
  isPresent,
  isRecord,
  NAME_KEY,
  type Properties,
  STATE_KEY,
  stringOf,
  URN_KEY,
} from "../definition/properties.js";
import { readState } from "./resource-state.js";

/*
 * How the engine stores `__state` and the hidden outputs `__urn` and `__name`: as one line of JSON, without what follows
 * from the other outputs. The engine rewrites its whole file at each step, so the bytes of a resource are time.
 *
 * The line is a list: base URL, key, entry, URN, the inputs that the service chose, and an object with all other members.
 * Empty items at its end are left out. The positions are permanent, so that older code finds a newer version.
 */

/** What the line depends on in a kind. */
export interface StoredKind {
  readonly inputs: object;
  readonly naming?: { readonly field: string } | undefined;
}

/** The version of a line that has none. */
const IMPLIED_VERSION = 1;

/** Returns the outputs with the hidden ones in one line, without a loss. Outputs without a state stay as they are. */
export function withStateText(kind: StoredKind, outputs: Properties): Properties {
  const stored = outputs[STATE_KEY];
  const fromProgram = readState(outputs)?.given;
  if (!isRecord(stored) || fromProgram === undefined) return outputs;
  // Not what `readState` returns, so that every member is kept.
  const { version, baseUrl, key, entry, given, ready, everReady, ...members } = stored;
  const present = inputsIn(kind, outputs);
  const isSubset = fromProgram.every((field) => present.includes(field));
  const chosen = isSubset ? present.filter((field) => !fromProgram.includes(field)) : [];
  const urn = stringOf(outputs, URN_KEY);
  const name = stringOf(outputs, NAME_KEY);
  const inLine = [URN_KEY, NAME_KEY].filter((output) => stringOf(outputs, output) !== undefined);
  const rest = {
    ...members,
    ...(version === IMPLIED_VERSION ? {} : { version }),
    ...(ready ? {} : { ready }),
    ...(everReady ? {} : { everReady }),
    ...(isSubset ? {} : { given }),
    ...(name === impliedName(kind, outputs, fromProgram) ? {} : { [NAME_KEY]: name ?? null }),
  };
  const items = [baseUrl, key, entry ?? null, urn ?? null, chosen, rest];
  const text = JSON.stringify(items.slice(0, items.findLastIndex(isFilled) + 1));
  const others = Object.entries(outputs).filter(([output]) => !inLine.includes(output));
  return { ...Object.fromEntries(others), [STATE_KEY]: text };
}

/** Returns the outputs with what `withStateText` has put into the line. A line of another shape stays as it is. */
export function withStateObject(kind: StoredKind, outputs: Properties): Properties {
  const line = lineIn(outputs[STATE_KEY]);
  if (line === undefined) return outputs;
  const { urn, chosen } = line;
  const given = inputsIn(kind, outputs).filter((field) => !chosen.includes(field));
  const complete = { ...outputs, [STATE_KEY]: { given, ready: true, everReady: true, ...line.state } };
  const name =
    line.name === undefined ? impliedName(kind, outputs, readState(complete)?.given ?? []) : line.name;
  return {
    ...complete,
    ...(typeof urn === "string" ? { [URN_KEY]: urn } : {}),
    ...(typeof name === "string" ? { [NAME_KEY]: name } : {}),
  };
}

/** What a line contains. Its values may have any type. */
interface Line {
  /** The members of `__state` that do not follow from the outputs. */
  readonly state: Properties;
  readonly urn: unknown;
  readonly chosen: readonly unknown[];
  /** Undefined in the ordinary case, null without a derived name. */
  readonly name: unknown;
}

/** Returns what a stored `__state` contains, or undefined where it is no such line. */
export function lineIn(stored: unknown): Line | undefined {
  if (typeof stored !== "string") return undefined;
  let items: unknown;
  try {
    items = JSON.parse(stored);
  } catch {
    return undefined;
  }
  if (!Array.isArray(items)) return undefined;
  const [baseUrl, key, entry, urn, chosen, rest]: unknown[] = items;
  const { [NAME_KEY]: name, ...others } = isRecord(rest) ? rest : {};
  return {
    state: { version: IMPLIED_VERSION, baseUrl, key, ...(isPresent(entry) ? { entry } : {}), ...others },
    urn,
    chosen: Array.isArray(chosen) ? chosen : [],
    name,
  };
}

/** Returns the derived name in the ordinary case: the resource has the name that its program implies. */
const impliedName = ({ naming }: StoredKind, outputs: Properties, given: readonly string[]) =>
  naming !== undefined && given.includes(naming.field) ? stringOf(outputs, naming.field) : undefined;

const inputsIn = ({ inputs }: StoredKind, outputs: Properties): string[] =>
  Object.keys(inputs).filter((field) => isPresent(outputs[field]));

const isFilled = (item: unknown): boolean =>
  Array.isArray(item) ? item.length > 0 : isRecord(item) ? Object.keys(item).length > 0 : isPresent(item);
