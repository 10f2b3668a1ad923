import { plain } from "../properties.js";
import { Failed } from "../world.js";
import type { CheckpointFile, StoredResource } from "./checkpoint.js";
import { type Session, throwIfAny } from "./session.js";

/** Deletes dependents before what they depend on. What a remaining resource depends on is kept. */
export async function deleteAll(
  file: CheckpointFile,
  session: Session,
  doomed: readonly StoredResource[],
): Promise<void> {
  const blocked = new Set<string>();
  const errors: unknown[] = [];
  let left = [...doomed];
  while (left.length > 0) {
    const needed = new Set(left.flatMap(({ dependencies }) => dependencies));
    const free = left.filter(({ urn }) => !needed.has(urn));
    left = left.filter(({ urn }) => needed.has(urn));
    const results = await Promise.allSettled(
      free.map(async (stored) => {
        if (blocked.has(stored.urn)) throw new Failed("a dependent was not deleted");
        await deleteOne(file, session, stored);
      }),
    );
    for (const [index, result] of results.entries()) {
      if (result.status === "fulfilled") continue;
      errors.push(result.reason);
      for (const urn of free[index]?.dependencies ?? []) blocked.add(urn);
    }
    if (free.length === 0) throw new Error("resources depend on each other in a circle");
  }
  throwIfAny(errors, "destroy failed");
}

/** Deletes one resource. `becomes` is the entry that stays in the state until the replacement exists. */
export async function deleteOne(
  file: CheckpointFile,
  { client }: Session,
  stored: StoredResource,
  becomes?: StoredResource,
): Promise<void> {
  const { urn, id } = stored;
  const op = stored.pendingDelete || becomes ? ("delete-replaced" as const) : ("delete" as const);
  const step = { op, urn, id };
  if (stored.protect && !becomes) {
    file.printError(urn, `unable to delete resource "${urn}"\nas it is currently marked for protection`);
    throw new Failed("protected");
  }
  if (stored.retainOnDelete || stored.pendingReplacement) {
    file.replace(stored, becomes, { ...step, outcome: "ok" });
    return;
  }
  file.begin("deleting", urn);
  try {
    await client.delete(urn, id, plain(stored.outputs));
  } catch (error) {
    throw file.failed(error, { ...step, outcome: "failed" });
  }
  file.replace(stored, becomes, { ...step, outcome: "ok" });
}
