import type { CloudServicesError } from "cloudservices-sdk";
import { messageOf, ResourceError } from "./errors.js";
import type { Identity, Naming } from "./kind.js";
import { withArticle } from "./memory.js";
import type { Scope } from "./scope.js";
import { stringOf, URN_KEY, type Values } from "./values.js";

/*
 * How a creation ends that may not go on: what is there or may be there, why nothing was done, and what to do now.
 */

/** A resource to be created. */
export interface Order<I, R extends object> {
  readonly values: Values;
  readonly inputs: I;
  readonly naming: Naming<I, R> | undefined;
  readonly identity: Identity<I, R> | undefined;
  /** The name is ours alone: no one else would ask for it. */
  readonly derived: boolean;
  readonly resource: string;
}

/** The service has a live resource under the name that was derived for this one. */
export function existing<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  order: Order<I, R>,
  remote: R,
): ResourceError {
  const id = kind.id(remote) ?? "";
  const managed = session.isManaged(kind.name, id);
  const name = order.naming ? stringOf(order.values, order.naming.field) : undefined;
  const expiry = order.naming?.expires?.(remote);
  return new ResourceError(
    [
      `${order.resource} was not created: the service already has ${id}, whose ${order.naming?.field} is the one that this`,
      `resource asks for, ${JSON.stringify(name)}.`,
      managed
        ? "It is in this stack's state, as the predecessor in a forced replacement or under another name."
        : "An interrupted run has left it, a stack of the same name on this account owns it, a resource of this stack had the name " +
          "before it was renamed, or a forced replacement is to replace it.",
      managed
        ? ""
        : session.names.isReplacement(stringOf(order.values, URN_KEY) ?? "")
          ? "If an interrupted replacement has left it, set cloudservices:adoptInterrupted to true."
          : `If it is yours, and \`pulumi stack --show-ids\` does not show it, take it over with the input adopt: ${JSON.stringify(id)}, or set cloudservices:adoptInterrupted to true.`,
      managed
        ? `Give the new one a ${order.naming?.field} of its own.`
        : `If it belongs to another stack, set cloudservices:namespace here. In a forced replacement, give the new one a ${order.naming?.field} of its own.`,
      expiry ? `Left alone, it expires by itself at ${expiry}.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  );
}

/**
 * The service has what the program asks for, under a name that the program gave: an interrupted run has left it, or
 * it is somebody's. Nothing can tell which, and a second one may be the last thing that anybody wants.
 */
export function duplicate<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  order: Order<I, R>,
  remote: R,
): ResourceError {
  const id = kind.id(remote) ?? "";
  const by = order.identity?.by ?? [];
  const replaces = session.names.isReplacement(stringOf(order.values, URN_KEY) ?? "");
  return new ResourceError(
    [
      `${order.resource} was not created: the service already has ${id} with the same ${by.join(" and ")}, and nothing in`,
      "this run shows whose it is.",
      replaces
        ? "If an interrupted replacement has left it, delete it at the service and run `pulumi up` again."
        : `If it is yours, and \`pulumi stack --show-ids\` does not show it, take it over with the input adopt: ${JSON.stringify(id)}.`,
      "If it is this stack's own under an earlier name in the program, use the option `aliases`; in a forced replacement,",
      `use \`deleteBeforeReplace: true\`. If it is somebody else's, give this one ${by.length > 1 ? "others" : `another ${by[0]}`},`,
      "or set cloudservices:duplicates to allow.",
    ].join(" "),
  );
}

/** The honest end of a creation of which nobody can say whether it took effect. */
export function stopped<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Order<I, R>,
  error: CloudServicesError,
  candidate?: R,
): ResourceError {
  const { kind, session } = scope;
  const id = candidate && kind.id(candidate);
  const name = order.naming && stringOf(order.values, order.naming.field);
  const when = new Date(
    error.timestamp === undefined ? session.clock.now() : error.timestamp * 1_000,
  ).toISOString();
  const expiry = candidate && order.naming?.expires?.(candidate);
  return new ResourceError(
    [
      `${order.resource} may or may not have been created: ${messageOf(error)}`,
      `That was at ${when}${error.timestamp ? " by the service's clock" : ""}, request ${error.requestId ?? "without an id"}.`,
      "It was not sent again, so that it is not created twice.",
      id
        ? `The service has ${id}, which may be the one${name === undefined ? "" : ` (${order.naming?.field} ${JSON.stringify(name)})`}.`
        : `Look for ${withArticle(kind.name)}${name === undefined ? "" : ` named ${JSON.stringify(name)}`} at the service.`,
      `If it is there, take it over with the input adopt: ${JSON.stringify(id ?? "<its id>")};`,
      "if not, run `pulumi up` again.",
      expiry ? `Left alone, it expires by itself at ${expiry}.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  );
}

/** The service refuses the name. */
export function taken<I extends object, R extends object>(
  { session }: Scope<I, R>,
  order: Order<I, R>,
  error: CloudServicesError,
): ResourceError {
  const field = order.naming?.field ?? "name";
  const ways = session.names.isReplacement(stringOf(order.values, URN_KEY) ?? "")
    ? "If an interrupted replacement has left it, delete it at the service and run `pulumi up` again; if the old resource of " +
      "this very name still has it, set the option `deleteBeforeReplace: true`."
    : 'If it is one of yours, take it over with the input adopt: "<its id>".';
  return new ResourceError(
    `${order.resource} was not created: ${messageOf(error)} ` +
      `The ${field} ${JSON.stringify(stringOf(order.values, field))} is taken. Choose another or leave it out to have one derived. ${ways}`,
  );
}
