import { messageOf, PartialFailure } from "./errors.js";
import { describe, remember } from "./memory.js";
import { type Finding, outputsOf } from "./outputs.js";
import type { Scope } from "./scope.js";
import { STATE_KEY, type Values } from "./values.js";

/** A resource that exists at the service, as far as it is known. */
export interface Existing<R> {
  readonly id: string;
  readonly values: Values;
  /** The outputs it had before this operation; empty for a new one. */
  readonly previous: Values;
  readonly remote: R | undefined;
  readonly found?: Partial<Finding>;
}

/**
 * Does what follows once a resource exists at the service. Whatever goes wrong, even while outputs are built, ends as a
 * failure that carries the id, so that the engine keeps the resource.
 *
 * @throws PartialFailure and nothing else.
 */
export async function keeping<I extends object, R extends object, T>(
  scope: Scope<I, R>,
  existing: Existing<R>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PartialFailure ? error : unfinished(scope, existing, error);
  }
}

/** The resource exists, and the reason why it is not finished may be any error. */
export function unfinished<I extends object, R extends object>(
  scope: Scope<I, R>,
  existing: Existing<R>,
  error: unknown,
): PartialFailure {
  const { id, values } = existing;
  return new PartialFailure(
    `${describe(scope.kind, values, id)} exists, but is not finished: ${messageOf(error)} ` +
      "It stays in the state; run `pulumi up` again to go on.",
    id,
    bestOutputs(scope, existing),
    messageOf(error),
  );
}

/** The outputs as far as they can be had; the least are the inputs, and where the resource lives. */
function bestOutputs<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  { values, previous, remote, found }: Existing<R>,
): Values {
  try {
    return outputsOf(kind, session.settings, values, remote, previous, { ...found, settled: false });
  } catch {
    const given = Object.keys(kind.inputs).filter((field) => values[field] !== undefined);
    const { sent: _sent, ...known } = found ?? {};
    const memory = remember(session.settings, { given, ...known, settled: false });
    return { ...previous, ...values, [STATE_KEY]: memory };
  }
}
