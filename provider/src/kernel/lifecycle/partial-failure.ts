import { type Properties, STATE_KEY } from "../definition/properties.js";
import { factOf, PartialFailure } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import { type OutputChange, outputsOf } from "../state/outputs.js";
import { stateOf } from "../state/resource-state.js";

/** A resource that exists at the service, as far as it is known. */
export interface ExistingResource<R> {
  readonly id: string;
  readonly values: Properties;
  /** The outputs it had before this operation; empty for a new one. */
  readonly previous: Properties;
  readonly remote: R | undefined;
  readonly found?: Partial<OutputChange>;
}

/**
 * Runs what follows once a resource exists at the service. Every error, even one while outputs are built, becomes a
 * failure with the id, so that the engine keeps the resource.
 *
 * @throws PartialFailure and nothing else.
 */
export async function keepOnFailure<I extends object, R extends object, T>(
  operation: Operation<I, R>,
  existing: ExistingResource<R>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PartialFailure ? error : asPartialFailure(operation, existing, error);
  }
}

/** Returns the failure of a resource that exists and is not ready, for whatever reason. */
export function asPartialFailure<I extends object, R extends object>(
  operation: Operation<I, R>,
  existing: ExistingResource<R>,
  error: unknown,
): PartialFailure {
  const { id } = existing;
  return new PartialFailure(
    {
      code: "NOT_READY",
      summary: `${operation.describe(id)} exists, but is not ready`,
      cause: `${factOf(error)} It stays in the state.`,
      fixes: [{ when: "to continue", line: "pulumi up" }],
    },
    id,
    bestOutputs(operation, existing),
  );
}

/** Returns the outputs as far as they are known: at least the inputs and the service's address. */
function bestOutputs<I extends object, R extends object>(
  { kind, session }: Operation<I, R>,
  { values, previous, remote, found }: ExistingResource<R>,
): Properties {
  try {
    return outputsOf(kind, session.settings, values, remote, previous, { ...found, ready: false });
  } catch {
    const given = Object.keys(kind.inputs).filter((field) => values[field] !== undefined);
    const { sent: _sent, ...known } = found ?? {};
    const memory = stateOf(session.settings, { given, ...known, ready: false });
    return { ...previous, ...values, [STATE_KEY]: memory };
  }
}
