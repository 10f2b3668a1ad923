import type { CloudServicesError } from "cloudservices-sdk";
import { valueIn } from "../definition/kind.js";
import { stringOf, URN_KEY } from "../definition/properties.js";
import { messageOf, ResourceError } from "../diagnostics/errors.js";
import { timeLeft } from "../stack/deadline.js";
import type { Scope } from "../stack/scope.js";
import { withArticle } from "../state/describe.js";
import type { Creation } from "./creation.js";
import { canAdopt, isMissingId } from "./remote.js";

/*
 * How a creation ends that may not go on: what is there or may be there, why nothing was done, and what to do now.
 */

/** The service has a live resource under the name that was derived for this one. */
export function nameInUse<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  order: Creation<I, R>,
  remote: R,
): ResourceError {
  const id = kind.id(remote) ?? "";
  const field = order.naming?.field ?? "name";
  const name = stringOf(order.values, field);
  const expiry = order.naming?.expires?.(remote);
  const isReplacement = session.names.isReplacement(stringOf(order.values, URN_KEY) ?? "");
  return new ResourceError(
    [
      `${order.resource} was not created: the service already has ${id}, whose ${field} ${JSON.stringify(name)} is the one that is`,
      "derived for this resource. An interrupted run has left it, a stack of the same name owns it, the resource is to be",
      "replaced (--replace, --target-replace or taint), or one with an alias has had this name in the program.",
      isReplacement
        ? "If an interrupted replacement has left it, set cloudservices:adoptInterrupted to true."
        : `If an interrupted run has left it, and \`pulumi stack --show-ids\` does not show it, take it over with the input adopt: ${JSON.stringify(id)}, or set cloudservices:adoptInterrupted to true.`,
      "If another stack owns it, set cloudservices:namespace here. In a forced replacement, set the option",
      "`deleteBeforeReplace: true` on the resource, or cloudservices:duplicates to allow for another derived name.",
      expiry ? `Left alone, it expires by itself at ${expiry}.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  );
}

/**
 * The service has what the program asks for, under a name that the program gave, and no returned field differs: an
 * interrupted run has left it, or it is somebody's. Nothing can tell which, and a second one would cost as well.
 */
export function possibleDuplicate<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  order: Creation<I, R>,
  remote: R,
): ResourceError {
  const id = kind.id(remote) ?? "";
  const by = order.identity?.by ?? [];
  const replaces = session.names.isReplacement(stringOf(order.values, URN_KEY) ?? "");
  return new ResourceError(
    [
      `${order.resource} was not created: the service already has ${id} with the same ${by.join(" and ")}, no field that the`,
      "service returns differs, and nothing in this run shows whose it is.",
      replaces
        ? "If an interrupted replacement has left it, delete it at the service and run `pulumi up` again."
        : `If it is yours, and \`pulumi stack --show-ids\` does not show it, take it over with the input adopt: ${JSON.stringify(id)}.`,
      "If it is this stack's own under an earlier name in the program, use the option `aliases`; in a forced replacement,",
      `use \`deleteBeforeReplace: true\`. If it is another's, give this one ${by.length > 1 ? "others" : `another ${by[0]}`},`,
      "or set cloudservices:duplicates to allow.",
    ].join(" "),
  );
}

/** Whether the resource exists already cannot be found out at the moment. */
export function lookupFailed<I, R extends object>(order: Creation<I, R>, error: unknown): ResourceError {
  return new ResourceError(
    `${order.resource} was not created: the service could not be asked whether an interrupted run has left it: ${messageOf(error)} ` +
      "Nothing was sent. Run `pulumi up` again. To create it without asking, set cloudservices:duplicates to allow.",
  );
}

/** The honest end of a creation of which nobody can say whether it took effect. */
export function outcomeUnknown<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Creation<I, R>,
  error: CloudServicesError,
  candidate?: R,
): ResourceError {
  const { kind, session } = scope;
  const id = candidate && kind.id(candidate);
  const name = order.naming && stringOf(order.values, order.naming.field);
  const theirs = error.timestamp === undefined ? undefined : isoTime(error.timestamp * 1_000);
  const when = theirs ?? isoTime(session.clock.now()) ?? "an unknown time";
  const expiry = candidate && order.naming?.expires?.(candidate);
  const urn = stringOf(order.values, URN_KEY) ?? "";
  const old = session.names.predecessor(urn);
  const expires = order.naming?.expires !== undefined;
  // What replaces another one may not adopt: the check of the next run would refuse it.
  const way = expires
    ? "Run `pulumi up` again."
    : session.names.isReplacement(urn)
      ? "If it is there, delete it at the service. Then run `pulumi up` again."
      : !canAdopt(scope)
        ? `If it is there, delete it at the service: the specification shows no request that reads ${withArticle(kind.name)}, so it cannot be adopted. Then run \`pulumi up\` again.`
        : `If it is ${id ? "the one" : "there"}, take it over with the input adopt: ${JSON.stringify(id ?? "<its id>")}; if not, run \`pulumi up\` again.`;
  return new ResourceError(
    [
      `${order.resource} may or may not have been created: ${messageOf(error)}`,
      `That was at ${when}${theirs === undefined ? "" : " by the service's clock"}, request ${error.requestId ?? "without an id"}.`,
      retryNote(order),
      expires
        ? ""
        : id
          ? `The service has ${id}, which may be the one${name === undefined ? "" : ` (${order.naming?.field} ${JSON.stringify(name)})`}.`
          : `Look for ${withArticle(kind.name)}${name === undefined ? "" : ` named ${JSON.stringify(name)}`} at the service${old && !isMissingId(old) ? `, other than ${old}, which is the old one` : ""}.`,
      way,
      expiry ? `Left alone, it expires by itself at ${expiry}.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  );
}

/** A time as text. No date can hold every number that a service sends. */
function isoTime(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Whether the creation was sent again after its response was lost, and why. */
function retryNote<I, R extends object>({ naming, progress: { sent = 0 } }: Creation<I, R>): string {
  if (sent < 2 && (naming?.expires || naming?.unique)) {
    const once =
      timeLeft() > 0
        ? "No other request for it has reached the service."
        : "It was not sent again, because its time was up.";
    return naming.expires ? `${once} What it may have created expires by itself.` : once;
  }
  if (naming?.expires)
    return "It was sent again. What each of the requests may have created expires by itself.";
  if (naming?.unique) return `It was sent again, because the service allows a ${naming.field} only once.`;
  return "It was not sent again, so that it is not created twice.";
}

/** What is known of the resource that has a name which the service refuses. */
export interface Taken<R> {
  /** Those of the account that may have it. */
  readonly holders?: readonly R[];
  /** The name identifies one resource, so the holder is surely the one. */
  readonly isCertain?: boolean;
  /** Why the account could not be listed. */
  readonly unlisted?: unknown;
}

/** The service refuses the name. */
export function nameTaken<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Creation<I, R>,
  error: CloudServicesError,
  found: Taken<R> = {},
): ResourceError {
  const { session } = scope;
  const field = order.naming?.field ?? "name";
  const ways = session.names.isReplacement(stringOf(order.values, URN_KEY) ?? "")
    ? afterReplacement(scope, order, found)
    : `${holderOf(scope, order, found)} In a forced replacement, set the option \`deleteBeforeReplace: true\`.`;
  return new ResourceError(
    `${order.resource} was not created: ${messageOf(error)} ` +
      `The ${field} ${JSON.stringify(stringOf(order.values, field))} is taken. Choose another or leave it out to have one derived. ${ways}`,
  );
}

/** Who has the name that a replacement needs, and the way on. What replaces another resource may not adopt. */
function afterReplacement<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Creation<I, R>,
  found: Taken<R>,
): string {
  const { kind, session } = scope;
  const leave = "set the option `deleteBeforeReplace: true`.";
  const [holder] = found.holders ?? [];
  const id = found.isCertain && holder ? kind.id(holder) : undefined;
  const left =
    "If an interrupted replacement has left it, delete it at the service and run `pulumi up` again";
  if (id === undefined) {
    const who = found.holders?.length || found.unlisted ? `${whoMay(scope, order, found)} ` : "";
    return `${who}${left}; if the old resource of this very name still has it, ${leave}`;
  }
  if (!session.isManaged(kind.name, id)) return `${id} has it. ${left}.`;
  return `${id} of this stack has it. If that is the old resource of this very name, ${leave}`;
}

/** Who has the name. An id is offered only when it is surely the right one. */
function holderOf<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Creation<I, R>,
  found: Taken<R>,
): string {
  const { kind, session } = scope;
  const { holders, isCertain } = found;
  const [holder] = holders ?? [];
  const id = holder && (kind.id(holder) ?? "");
  if (isCertain && id !== undefined) {
    return session.isManaged(kind.name, id)
      ? `${id} of this stack has it.`
      : `${id} has it. If it is yours, and \`pulumi stack --show-ids\` does not show it, take it over with the input adopt: ${JSON.stringify(id)}.`;
  }
  if (holders && isCertain) return "No resource of this account has it.";
  const who = whoMay(scope, order, found);
  if (!holders?.length || session.isManaged(kind.name, id ?? "")) return who;
  const which = holders.length === 1 && id ? id : "<its id>";
  return `${who} If an interrupted run has left it, take it over with the input adopt: ${JSON.stringify(which)}.`;
}

/** What is known of who has the name, where that is not certain. */
function whoMay<I extends object, R extends object>(
  { kind }: Scope<I, R>,
  order: Creation<I, R>,
  { holders = [], unlisted: failure }: Taken<R>,
): string {
  if (failure !== undefined) return `Which resource has it is unknown: ${messageOf(failure)}`;
  if (holders.length === 0) return 'If it is one of yours, take it over with the input adopt: "<its id>".';
  const chosen = order.identity?.chosen;
  const choice = (remote: R) => {
    const said: unknown = chosen && valueIn(kind.inputs[chosen], remote);
    return typeof said === "string" ? said : `${chosen} unknown`;
  };
  const candidates = holders.map((each) => `${kind.id(each)} (${choice(each)})`).join(", ");
  return `Which ${chosen} the service chooses by default is unknown, so it may be ${candidates} or a stranger's.`;
}
