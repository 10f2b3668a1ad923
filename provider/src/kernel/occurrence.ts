import { CloudServicesError } from "cloudservices-sdk";
import { messageOf, PartialFailure } from "./errors.js";
import type { Occurrence } from "./kind.js";
import { describe } from "./memory.js";
import { outputsOf } from "./outputs.js";
import type { Scope } from "./scope.js";
import type { Values } from "./values.js";

/**
 * Does once what would have an effect each time. After a lost answer the target decides, if it shows that the thing
 * is being done; otherwise it counts as done, because the harm of doing it twice cannot be undone.
 *
 * @throws PartialFailure when it may or may not have been done; the next run does not do it again.
 */
export async function occur<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  inputs: I,
  occurrence: Occurrence<I, R>,
): Promise<R> {
  const { kind, session } = scope;
  try {
    return await kind.create(session.api, inputs);
  } catch (error) {
    if (!(error instanceof CloudServicesError) || error.outcome !== "ambiguous") throw error;
    const id = occurrence.target(inputs);
    const target = await look(scope, id);
    if (target && occurrence.isUnderWay(target, inputs)) return target;
    throw new PartialFailure(
      `${describe(kind, values, id)} may or may not have been done: ${messageOf(error)} It was not sent again, and no ` +
        "later run sends it again. Look at the service; if it was not done and shall be, change `triggers`.",
      id,
      outputsOf(kind, session.settings, values, undefined, {}, { settled: false }),
    );
  }
}

/** The target, where it may be read and can be: that it cannot be read tells nothing. */
async function look<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  id: string,
): Promise<R | undefined> {
  if (session.settings.api === "documented") return undefined;
  return kind.read(session.api, id).catch(() => undefined);
}
