import type { CloudServicesError } from "cloudservices-sdk";
import { stringOf } from "../definition/properties.js";
import type { Fix } from "../diagnostics/diagnostic.js";
import { factOf, ResourceError } from "../diagnostics/errors.js";
import { setting } from "../settings/setting-change.js";
import { timeLeft } from "../stack/deadline.js";
import type { Operation } from "../stack/operation.js";
import { withArticle } from "../state/describe.js";
import type { Creation } from "./creation.js";
import { canAdopt, isMissingId } from "./remote.js";

/*
 * The errors of a creation that stops: what exists or may exist, why nothing more was done, and the ways on.
 */

const UP = "pulumi up";
export const NOT_IN_STATE = "and `pulumi stack --show-ids` does not show it";
export const DELETE_BEFORE = "set the option `deleteBeforeReplace: true` on the resource";

export const adopt = (id: string): string => `adopt: ${JSON.stringify(id)}`;
export const deleteAtService = (id: string): string => `delete ${id} at the service, then ${UP}`;

export const isReplacement = <I extends object, R extends object>({
  session,
  urn,
}: Operation<I, R>): boolean => session.names.isReplacement(urn);

/** The service has a live resource under the name that was derived for this one. */
export function nameInUse<I extends object, R extends object>(
  operation: Operation<I, R>,
  creation: Creation<I, R>,
  remote: R,
): ResourceError {
  const id = operation.kind.id(remote) ?? "";
  const field = creation.naming?.field ?? "name";
  const name = JSON.stringify(stringOf(creation.values, field));
  const expiry = creation.naming?.expires?.(remote);
  const left =
    "left by an interrupted run, owned by a stack of the same name, or about to be replaced by force";
  return new ResourceError({
    code: "NAME_IN_USE",
    summary: `${creation.resource} not created: ${id} already has the derived ${field} ${name}`,
    cause: expiry ? `${left}. It expires at ${expiry}.` : `${left}.`,
    fixes: [
      isReplacement(operation)
        ? {
            when: "if an interrupted replacement left it",
            line: [setting("adoptInterrupted", true)],
          }
        : {
            when: `if an interrupted run left it ${NOT_IN_STATE}`,
            line: [`${adopt(id)}, or `, setting("adoptInterrupted", true)],
          },
      { when: "if another stack owns it", line: [setting("namespace", "<unique>")] },
      { when: "in a forced replacement", line: DELETE_BEFORE },
    ],
  });
}

/**
 * The service has what the program describes, under a name that the program gave, and no returned field differs. An
 * interrupted run left it, or it belongs to someone else. Nothing shows which, and a second one would cost as well.
 */
export function possibleDuplicate<I extends object, R extends object>(
  operation: Operation<I, R>,
  creation: Creation<I, R>,
  remote: R,
): ResourceError {
  const id = operation.kind.id(remote) ?? "";
  const by = creation.identity?.by ?? [];
  const other = by.length > 1 ? `another ${by.join(" and ")}` : `another ${by[0]}`;
  return new ResourceError({
    code: "POSSIBLE_DUPLICATE",
    summary: `${creation.resource} not created: the service already has ${id} with the same ${by.join(" and ")}`,
    cause: "no returned field differs, and nothing in this run shows who owns it.",
    fixes: [
      isReplacement(operation)
        ? { when: "if an interrupted replacement left it", line: deleteAtService(id) }
        : { when: `if it is yours ${NOT_IN_STATE}`, line: adopt(id) },
      {
        when: "if it is this stack's",
        line: `the option \`aliases\`, or in a forced replacement ${DELETE_BEFORE}`,
      },
      {
        when: "if it is not yours",
        line: [`${other}, or `, setting("duplicates", "allow")],
      },
    ],
  });
}

/** Whether the resource exists already is unknown, because the lookup failed for a transient reason. */
export const lookupFailed = <I, R extends object>(creation: Creation<I, R>, error: unknown): ResourceError =>
  new ResourceError({
    code: "LOOKUP_FAILED",
    summary: `${creation.resource} not created: the lookup for a leftover of an interrupted run failed`,
    cause: `${factOf(error)} Nothing was sent.`,
    fixes: [{ line: UP }, { when: "to create without a lookup", line: [setting("duplicates", "allow")] }],
  });

/** Nothing shows whether the creation took effect. */
export function outcomeUnknown<I extends object, R extends object>(
  operation: Operation<I, R>,
  creation: Creation<I, R>,
  error: CloudServicesError,
  candidate?: R,
): ResourceError {
  const { kind, session } = operation;
  const id = candidate && kind.id(candidate);
  const field = creation.naming?.field;
  const name = field && JSON.stringify(stringOf(creation.values, field) ?? "");
  const serviceTime = error.timestamp === undefined ? undefined : isoTime(error.timestamp * 1_000);
  const when = serviceTime ?? isoTime(session.clock.now()) ?? "an unknown time";
  const request = `(request ${error.requestId ?? "without an id"}, ${when}${serviceTime ? " by the service's clock" : ""})`;
  const expiry = candidate && creation.naming?.expires?.(candidate);
  const old = session.names.isReplacement(operation.urn)
    ? session.claims.existingFor(operation.urn)
    : undefined;
  const looks = id
    ? `${id} may be it${name ? ` (${field} ${name})` : ""}.`
    : `look for ${withArticle(kind.name)}${name ? ` named ${name}` : ""} at the service${old && !isMissingId(old) ? `, other than ${old}, which is the old one` : ""}.`;
  return new ResourceError({
    code: "CREATE_OUTCOME_UNKNOWN",
    summary: `${creation.resource} may have been created`,
    cause: [
      `${factOf(error)} ${request}.`,
      retryNote(creation),
      creation.naming?.expires ? "" : looks,
      expiry ? `It expires at ${expiry}.` : "",
    ]
      .filter(Boolean)
      .join(" "),
    fixes: waysAfterUnknownOutcome(operation, creation, id),
  });
}

function waysAfterUnknownOutcome<I extends object, R extends object>(
  operation: Operation<I, R>,
  creation: Creation<I, R>,
  id: string | undefined,
): Fix[] {
  if (creation.naming?.expires) return [{ line: UP }];
  // A resource that replaces another one may not adopt: the check of the next run would refuse it.
  const cannotAdopt = isReplacement(operation) || !canAdopt(operation);
  return [
    {
      when: id ? `if ${id} is the one` : "if it exists",
      line: cannotAdopt ? `${deleteAtService(id ?? "it")}` : adopt(id ?? "<its id>"),
    },
    { when: "if not", line: UP },
  ];
}

/** A time as text. No date can hold every number that a service sends. */
function isoTime(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Whether the creation was retried after its response was lost, and why. */
function retryNote<I, R extends object>({ naming, progress: { sent = 0 } }: Creation<I, R>): string {
  const expires = naming?.expires ? " Whatever was created expires by itself." : "";
  if (sent >= 2 && (naming?.expires || naming?.unique))
    return `It was retried${naming.unique ? `, because the service allows each ${naming.field} only once` : ""}.${expires}`;
  if (!naming?.expires && !naming?.unique) return "It was not retried, to avoid a duplicate.";
  return `${timeLeft() > 0 ? "No other request for it reached the service." : "It was not retried, because its time was up."}${expires}`;
}
