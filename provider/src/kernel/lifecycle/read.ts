import type { Kind } from "../definition/kind.js";
import { fieldsOf, valueIn } from "../definition/kind-values.js";
import type { Properties } from "../definition/properties.js";
import { ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import { guard, keyChangedError, sameKey } from "../state/guard.js";
import { inputsOfOutputs, outputsOf, type StoredResource, withCommonInputs } from "../state/outputs.js";
import { appliedInputs, isOnlyRead, type ResourceState, withCurrentKey } from "../state/resource-state.js";
import { isProvenAbsent, serviceTimeOf } from "./absence.js";
import { operationError, readRemote } from "./remote.js";

/** Reads the resource. Returns undefined when it is proven to be deleted. */
export async function readResource<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  props: Properties,
): Promise<StoredResource | undefined> {
  const { kind, session } = operation;
  const resource = operation.describe(id);
  const memory = guard(session.settings, resource, props);
  if (memory && !isOnlyRead(memory)) session.claims.markManaged(kind.name, id);
  if (kind.action) {
    if (memory) return { id, outputs: props, inputs: inputsOfOutputs(kind, props, props) };
    throw new ResourceError({
      code: "GET_UNSUPPORTED",
      summary: `${resource} cannot be read or imported: the service keeps no record of it`,
    });
  }
  let remote: R | "exists" | undefined;
  try {
    remote = await readConfirmed(operation, id, props, memory);
  } catch (error) {
    if (!isProvenAbsent(error)) throw operationError(resource, "read", error);
    const ended = kind.expired?.(props, serviceTimeOf(error, session.clock));
    if (ended) return { id, outputs: { ...props, ...ended }, inputs: inputsOfOutputs(kind, props, props) };
    if (!sameKey(session.settings, memory)) throw keyChangedError(resource);
    // Without a remembered state this is `get`: the program expects the resource to exist.
    if (!memory)
      throw new ResourceError({
        code: "GET_NOT_FOUND",
        summary: `${resource} cannot be read with \`get\`: it does not exist at the service`,
      });
    return undefined;
  }
  if (remote === undefined || remote === "exists") {
    const outputs =
      remote === "exists" || session.settings.acceptKeyChange
        ? withCurrentKey(props, session.settings)
        : props;
    return { id, outputs, inputs: inputsOfOutputs(kind, props, props) };
  }

  const held = withCommonInputs(memory ? appliedInputs(kind, props) : {}, props);
  if (memory?.asked !== undefined && kind.naming) held[kind.naming.field] = props[kind.naming.field];
  const outputs = outputsOf(kind, session.settings, held, remote, props, {
    ...readinessOf(kind, remote, memory),
    seen: true,
    ...(operation.scope.reader.hasRead(id) ? { read: true } : {}),
  });
  return { id, outputs, inputs: inputsOfOutputs(kind, props, outputs) };
}

/** Pauses, in milliseconds, before further looks at a resource that no refresh has found yet: reads may lag behind writes. */
const PAUSES = [1_000, 2_000, 3_000, 4_000];

/** @throws the sdk's "not found" only if every look ends in it. */
async function readConfirmed<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  props: Properties,
  memory: ResourceState | undefined,
): Promise<R | "exists" | undefined> {
  const { kind, session } = operation;
  const isYoung = memory !== undefined && !memory.seen && sameKey(session.settings, memory);
  for (const pause of isYoung ? PAUSES : []) {
    try {
      return await readRemote(operation, id, props);
    } catch (error) {
      if (!isProvenAbsent(error) || kind.expired?.(props, serviceTimeOf(error, session.clock))) throw error;
    }
    operation.status(`not found, next look in ${pause / 1_000} s`);
    await session.clock.sleep(pause);
    operation.scope.reader.forget(id);
  }
  return readRemote(operation, id, props);
}

/** Returns whether the resource is ready or has failed since the last run. */
function readinessOf<I extends object, R extends object>(
  kind: Kind<I, R>,
  remote: R,
  memory: ResourceState | undefined,
) {
  // Fields that the response does not show stay uncertain until they are sent again.
  const isShown = new Map(
    fieldsOf(kind).map(([field, input]) => [field, valueIn(input, remote) !== undefined]),
  );
  const uncertain = memory?.uncertain?.filter((field) => !isShown.get(field)) ?? [];
  if (uncertain.length > 0) return { ready: false, uncertain };
  // A resource that was ready once stays so, even if it is busy or broken now.
  if (memory?.ready) return { ready: true };
  const phase = kind.readiness?.phase(remote) ?? "ready";
  // What the creation could not request may still be missing, so only an update makes it ready.
  const ready = phase === "ready" && (kind.converge === undefined || memory?.ready !== false);
  const failed =
    phase === "failed" ? (kind.readiness?.reason(remote) ?? kind.readiness?.status(remote)) : undefined;
  return { ready, ...(failed === undefined ? {} : { failed }) };
}
