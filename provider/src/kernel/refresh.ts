import { isGone, toldAt } from "./absence.js";
import { ResourceError } from "./errors.js";
import { fieldsOf, type Kind, shown } from "./kind.js";
import {
  describe,
  guard,
  heldInputs,
  isOnlyRead,
  keyChanged,
  type Memory,
  sameKey,
  stamped,
} from "./memory.js";
import { inputsHeld, type Kept, outputsOf, withBeside } from "./outputs.js";
import { about, readRemote } from "./remote.js";
import type { Scope } from "./scope.js";
import { stringOf, URN_KEY, type Values } from "./values.js";

/** Finds out what holds at the service. Nothing when the resource is proven to be gone. */
export async function read<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Values,
): Promise<Kept | undefined> {
  const { kind, session } = scope;
  const resource = describe(kind, props, id);
  const memory = guard(session.settings, resource, props);
  if (memory && !isOnlyRead(memory)) session.manages(kind.name, id);
  if (kind.occurrence) {
    if (memory) return { id, outputs: props, inputs: inputsHeld(kind, props, props) };
    throw new ResourceError(`${resource} cannot be read with \`get\`: the service keeps no record of it.`);
  }
  let remote: R | "exists" | undefined;
  try {
    remote = await readConfirmed(scope, id, props, memory);
  } catch (error) {
    if (!isGone(error)) throw about(resource, "read", error);
    const ended = kind.ended?.(props, toldAt(error, session.clock));
    if (ended) return { id, outputs: { ...props, ...ended }, inputs: inputsHeld(kind, props, props) };
    if (!sameKey(session.settings, memory)) throw keyChanged(resource);
    // Without a memory it is not a refresh: the program reads a resource that it takes to exist.
    if (!memory)
      throw new ResourceError(
        `${resource} does not exist at the service, so it cannot be read with \`get\`.`,
      );
    return undefined;
  }
  if (remote === undefined || remote === "exists") {
    const outputs =
      remote === "exists" || session.settings.acceptKeyChange ? stamped(props, session.settings) : props;
    return { id, outputs, inputs: inputsHeld(kind, props, props) };
  }

  const held = withBeside(memory ? heldInputs(kind, props) : {}, props);
  if (memory?.asked !== undefined && kind.naming) held[kind.naming.field] = props[kind.naming.field];
  const outputs = outputsOf(kind, session.settings, held, remote, props, {
    ...found(kind, remote, memory),
    seen: true,
    ...(scope.reader.hasRead(id) ? { read: true } : {}),
  });
  return { id, outputs, inputs: inputsHeld(kind, props, outputs) };
}

/** Reads may lag behind writes, so what no refresh has found yet is looked for again, after these milliseconds. */
const PAUSES = [1_000, 2_000, 3_000, 4_000];

/** @throws the sdk's "not found" only where every look finds that. */
async function readConfirmed<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Values,
  memory: Memory | undefined,
): Promise<R | "exists" | undefined> {
  const { kind, session } = scope;
  const isYoung = memory !== undefined && !memory.seen && sameKey(session.settings, memory);
  for (const pause of isYoung ? PAUSES : []) {
    try {
      return await readRemote(scope, id, props);
    } catch (error) {
      if (!isGone(error) || kind.ended?.(props, toldAt(error, session.clock))) throw error;
    }
    session.reporter.status(stringOf(props, URN_KEY), `not found, looking again in ${pause / 1_000} s`);
    await session.clock.sleep(pause);
    scope.reader.forget(id);
  }
  return readRemote(scope, id, props);
}

/** A resource that was unfinished may have settled, or failed, since the last run. */
function found<I extends object, R extends object>(kind: Kind<I, R>, remote: R, memory: Memory | undefined) {
  // What the answer does not show stays uncertain until it is sent once more.
  const isShown = new Map(
    fieldsOf(kind).map(([field, input]) => [field, shown(input, remote) !== undefined]),
  );
  const uncertain = memory?.uncertain?.filter((field) => !isShown.get(field)) ?? [];
  if (uncertain.length > 0) return { settled: false, uncertain };
  // What has worked is not unfinished for being busy, or broken, at the moment of a look.
  if (memory?.settled) return { settled: true };
  const phase = kind.settling?.phase(remote) ?? "settled";
  // What creation could not ask for may still be undone, so only a whole update says that it is settled.
  const settled = phase === "settled" && (kind.converge === undefined || memory?.settled !== false);
  const failed =
    phase === "failed" ? (kind.settling?.reason(remote) ?? kind.settling?.status(remote)) : undefined;
  return { settled, ...(failed === undefined ? {} : { failed }) };
}
