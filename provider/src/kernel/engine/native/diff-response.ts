import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { isPresent, type Properties } from "../../definition/properties.js";
import type { Difference } from "../../plan/diff.js";

const { Kind } = PropertyDiff;

/**
 * Returns a plan as the engine expects it, with the kind of each changed property.
 *
 * @param before - The inputs in the state.
 */
export function toDiffResponse(
  { needsWork, changed, replaces, deleteBeforeReplace }: Difference,
  before: Properties,
  after: Properties,
): DiffResponse {
  const response = new DiffResponse();
  // Inputs that only moved or are spelt differently are no change.
  const isChange = needsWork || changed.length > 0 || replaces.length > 0;
  response.setChanges(isChange ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE);
  response.setReplacesList(replaces);
  response.setDeletebeforereplace(deleteBeforeReplace);
  const properties = [...new Set([...changed, ...replaces])];
  response.setDiffsList(properties);
  response.setHasdetaileddiff(properties.length > 0);
  for (const name of properties) {
    const detail = new PropertyDiff();
    const isReplaced = replaces.includes(name);
    detail.setKind(kindOf(before[name], after[name], isReplaced));
    // Otherwise an output, such as the state of a resource that has failed, is the reason.
    detail.setInputdiff(changed.includes(name));
    response.getDetaileddiffMap().set(name, detail);
  }
  return response;
}

function kindOf(before: unknown, after: unknown, isReplaced: boolean): PropertyDiff.Kind {
  if (!isPresent(before) && isPresent(after)) return isReplaced ? Kind.ADD_REPLACE : Kind.ADD;
  if (isPresent(before) && !isPresent(after)) return isReplaced ? Kind.DELETE_REPLACE : Kind.DELETE;
  return isReplaced ? Kind.UPDATE_REPLACE : Kind.UPDATE;
}
