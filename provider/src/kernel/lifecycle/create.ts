import { randomBytes } from "node:crypto";
import { idIn, inputsOf } from "../definition/kind-values.js";
import { type Properties, stringOf } from "../definition/properties.js";
import { PartialFailure, ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import type { StoredResource } from "../state/outputs.js";
import { readState } from "../state/resource-state.js";
import { isProvenAbsent } from "./absence.js";
import { applyToAdopted, readForAdoption } from "./adopt.js";
import { type Birth, type Created, createOnce } from "./create-once.js";
import { deleteResource } from "./delete.js";
import { missingDependencyError } from "./missing.js";
import { asPartialFailure, keepOnFailure } from "./partial-failure.js";
import { requirePredecessor } from "./predecessor.js";
import { isMissingId, missingId, NO_ID, operationError } from "./remote.js";
import { finishResource, Progress } from "./wait.js";

export async function createResource<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
): Promise<StoredResource> {
  const { kind, session } = operation;
  const parse = (candidate: Properties) => inputsOf(kind, candidate);
  const adopt = stringOf(values, "adopt");
  await requirePredecessor(operation);
  const entry = randomBytes(9).toString("base64url");
  const birth: Birth<R> = {};
  let created: Created<R>;
  try {
    created =
      adopt === undefined
        ? await createOnce(operation, values, parse, birth)
        : { remote: await readForAdoption(operation, values, adopt), resumed: true };
  } catch (error) {
    const { id, ...known } = birth;
    if (id !== undefined && !(error instanceof PartialFailure)) {
      session.claims.claim(kind.name, id, entry, operation.urn);
      throw asPartialFailure(
        operation,
        { id, values, previous: {}, remote: undefined, ...known, found: { entry } },
        error,
      );
    }
    if (isProvenAbsent(error)) throw missingDependencyError(operation, values, adopt, error);
    throw operationError(operation.describe(), adopt === undefined ? "created" : "adopted", error);
  }
  // Without an id in the response, the URN stands in for it.
  const id = adopt ?? idIn(kind, created.remote) ?? missingId(operation.urn || kind.name);
  session.claims.noteCreated(operation.urn, id);
  session.names.declared.noteId(operation.urn, kind.name, id);
  if (isMissingId(id)) {
    operation.warn(
      `${operation.describe()}: ${NO_ID}, so no run can update or delete it. Before you change or remove it in the ` +
        "program, delete it at the service.",
    );
  }
  // Under the next derived name, the one of the inputs was never sent.
  const unsent = created.asked === undefined ? undefined : kind.naming?.field;
  const sent = Object.keys(kind.inputs).filter((field) => field !== unsent);
  const found = { entry, everReady: created.resumed, sent };
  const existing = { id, values, previous: {}, remote: created.remote, found };
  try {
    const outputs = await keepOnFailure(operation, existing, () =>
      complete(operation, { ...existing, created }),
    );
    return { id, outputs };
  } catch (error) {
    throw created.resumed ? error : await deleteFailedCreate(operation, id, error);
  }
}

/** Waits until the new resource is ready; updates an adopted one first. */
async function complete<I extends object, R extends object>(
  operation: Operation<I, R>,
  born: {
    id: string;
    values: Properties;
    created: Created<R>;
    found: { entry: string; everReady: boolean; sent: string[] };
  },
): Promise<Properties> {
  const { kind, session } = operation;
  const { id, values, created, found } = born;
  session.claims.claim(kind.name, id, found.entry, operation.urn);
  if (kind.createIsIdempotent) session.claims.markSucceeded(kind.name, id);
  operation.scope.reader.forget(id);
  const asked = created.asked === undefined ? {} : { asked: created.asked };
  const unfinished = {
    id,
    values,
    previous: {},
    remote: created.remote,
    ...found,
    converges: true,
    ...asked,
  };
  if (!created.resumed) return finishResource(operation, unfinished, "create");
  const isLeftover = stringOf(values, "adopt") === undefined;
  const progress = new Progress();
  const adopted = { id, remote: created.remote, isLeftover, entry: found.entry, progress };
  const remote = await applyToAdopted(operation, values, adopted);
  return finishResource(operation, { ...unfinished, remote, progress }, "create");
}

/**
 * Deletes what a failed creation left. Kept in the state, it would block the next run, and in a replacement the engine
 * would take it for the successor and delete the working predecessor.
 */
async function deleteFailedCreate<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof PartialFailure) || readState({ ...error.outputs })?.failed === undefined)
    return error;
  if (operation.kind.action) return error;
  try {
    await deleteResource(operation, id, { ...error.outputs });
  } catch {
    return error;
  }
  return new ResourceError({
    code: "PROVISIONING_FAILED",
    summary: `${operation.describe(id)} not created: the service failed to provision it`,
    cause: `${readState({ ...error.outputs })?.failed ?? ""} It was deleted at the service.`.trim(),
    fixes: [{ when: "to try again", line: "pulumi up" }],
  });
}
