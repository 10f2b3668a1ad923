import type { CloudServicesError } from "cloudservices-sdk";
import { valueIn } from "../definition/kind-values.js";
import { stringOf } from "../definition/properties.js";
import type { Fix } from "../diagnostics/diagnostic.js";
import { factOf, fixesOf, ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import { adopt, DELETE_BEFORE, deleteAtService, isReplacement, NOT_IN_STATE } from "./create-errors.js";
import type { Creation } from "./creation.js";

/*
 * The error of a creation whose name the service refuses: which resource has the name, and the ways on.
 */

/** What is known of the resource that has a name which the service refuses. */
export interface Taken<R> {
  /** The resources of the account that may have it. */
  readonly holders?: readonly R[];
  /** The name identifies one resource, so the holder is surely the one. */
  readonly isCertain?: boolean;
  /** Why the account could not be listed. */
  readonly unlisted?: unknown;
}

/** The service refuses the name. */
export function nameTaken<I extends object, R extends object>(
  operation: Operation<I, R>,
  creation: Creation<I, R>,
  error: CloudServicesError,
  found: Taken<R> = {},
): ResourceError {
  const field = creation.naming?.field ?? "name";
  const name = JSON.stringify(stringOf(creation.values, field));
  const holder = holderOf(operation, creation, found);
  // Where the response names the field, its text only repeats the summary. Else it may be about another field.
  const said = error.field === field ? "" : factOf(error);
  return new ResourceError({
    code: "NAME_TAKEN",
    summary: `${creation.resource} not created: the ${field} ${name} is taken`,
    cause:
      [said, holder.text].filter((text) => text !== "").join(" ") ||
      `the service responded with ${error.status ?? error.code}.`,
    fixes: [
      ...(isReplacement(operation) ? fixesInReplacement(holder) : holder.fixes),
      { when: "in a forced replacement, or if the old resource has it", line: DELETE_BEFORE },
      { when: "otherwise", line: `another ${field}, or none, to have one derived` },
    ].slice(-3),
  });
}

interface Holder {
  readonly text: string;
  readonly fixes: readonly Fix[];
  /** Undefined where it is uncertain which resource has the name. */
  readonly id?: string;
  readonly isOfThisStack?: boolean;
}

/** A resource that replaces another one may not adopt. */
const fixesInReplacement = ({ id, isOfThisStack }: Holder): Fix[] =>
  isOfThisStack ? [] : [{ when: "if an interrupted replacement left it", line: deleteAtService(id ?? "it") }];

/** Which resource has the name. A fix offers an id only where it is surely the right one. */
function holderOf<I extends object, R extends object>(
  operation: Operation<I, R>,
  creation: Creation<I, R>,
  { holders, isCertain, unlisted }: Taken<R>,
): Holder {
  const { kind, session } = operation;
  const [holder] = holders ?? [];
  const id = holder && (kind.id(holder) ?? "");
  const isOfThisStack = id !== undefined && session.claims.isManaged(kind.name, id);
  if (isCertain && id !== undefined) {
    if (isOfThisStack) return { text: `${id} of this stack has it.`, fixes: [], id, isOfThisStack };
    return {
      text: `${id} has it.`,
      fixes: [{ when: `if it is yours ${NOT_IN_STATE}`, line: adopt(id) }],
      id,
    };
  }
  if (holders && isCertain) return { text: "no resource of this account has it.", fixes: [] };
  if (unlisted !== undefined)
    return { text: `which resource has it is unknown: ${factOf(unlisted)}`, fixes: fixesOf(unlisted) };
  const which = holders?.length === 1 && id && !isOfThisStack ? id : "<its id>";
  const adopting = { when: "if it is yours", line: adopt(which) };
  if (!holders?.length) return { text: "", fixes: [adopting] };
  return { text: candidatesText(operation, creation, holders), fixes: isOfThisStack ? [] : [adopting] };
}

/** The resources that may have the name, because the service's default for another field is unknown. */
function candidatesText<I extends object, R extends object>(
  { kind }: Operation<I, R>,
  creation: Creation<I, R>,
  holders: readonly R[],
): string {
  const chosen = creation.identity?.chosen;
  const choice = (remote: R) => {
    const value: unknown = chosen && valueIn(kind.inputs[chosen], remote);
    return typeof value === "string" ? value : `${chosen} unknown`;
  };
  const candidates = holders.map((each) => `${kind.id(each)} (${choice(each)})`).join(", ");
  return `the service's default ${chosen} is unknown, so it may be ${candidates} or another account's.`;
}
