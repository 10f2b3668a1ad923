import { secretsOfKind } from "../program.js";
import { plain, secretsOf, withSecrets } from "../properties.js";
import type { CheckpointFile, StoredResource } from "./checkpoint.js";
import { errorsIn, type Session, throwIfAny } from "./session.js";

/** Reads every resource into the state. */
export async function refreshAll(file: CheckpointFile, session: Session): Promise<void> {
  // As with `--clear-pending-creates`.
  file.write({ pending: [] });
  const refreshed = file.state.resources
    .filter(({ pendingReplacement }) => !pendingReplacement)
    .map((stored) => refreshOne(file, session, stored));
  throwIfAny(errorsIn(await Promise.allSettled(refreshed)), "refresh failed");
}

async function refreshOne(file: CheckpointFile, { client }: Session, stored: StoredResource): Promise<void> {
  const { urn, id } = stored;
  const step = { op: "refresh" as const, urn, id };
  try {
    const read = await client.read(urn, id, plain(stored.outputs), plain(stored.inputs));
    if (read.id === "") {
      file.replace(stored, undefined, { ...step, outcome: "ok" });
      return;
    }
    const secrets = new Set([...secretsOf(stored.outputs), ...secretsOfKind[stored.kind]]);
    const next: StoredResource = {
      ...stored,
      id: read.id,
      outputs: withSecrets(read.outputs, secrets),
      inputs: read.inputs ? withSecrets(read.inputs, secretsOf(stored.inputs)) : stored.inputs,
      initErrors: [],
    };
    // The engine calls diff to display the changes.
    await client.diff(urn, next.id, plain(next.outputs), plain(stored.inputs));
    file.replace(stored, next, { ...step, outcome: "ok" });
  } catch (error) {
    throw file.failed(error, { ...step, outcome: "failed" });
  }
}
