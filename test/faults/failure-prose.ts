import type { FaultClass } from "./catalogue/fault.js";
import type { KindName } from "./evidence/kinds.js";

/*
 * The fixed text of docs/failure-model.md. The figures beside it come from a run of the campaign.
 */

export interface Prose {
  readonly title: string;
  /** What the campaign does to a request. */
  readonly fault: string;
  readonly happens: string;
  readonly see: string;
  readonly todo: string;
}

const RERUN = "Run `pulumi up` again.";
const UNCERTAIN =
  "Creations and actions whose response is lost are the hard case: the table [Lost creations](#lost-creations) says what happens for each kind.";

export const prose: Readonly<Record<FaultClass, Prose>> = {
  "rate-limit": {
    title: "Rate limit",
    fault: "429 with `Retry-After` in seconds, as a date, absent, absurd or negative.",
    happens: "The provider waits as long as `Retry-After` says, within the operation's timeout, and retries.",
    see: "Nothing, or one line with the wait. An absurd wait ends with an error.",
    todo: `Nothing. After an error: ${RERUN}`,
  },
  "server-error": {
    title: "Server error",
    fault:
      "500, 502, 503 or 504, before or after the service carried the request out, once or for the whole command.",
    happens: `Reads, deletions and repeatable changes are retried. ${UNCERTAIN}`,
    see: "Nothing when a retry succeeds. Otherwise one error for each resource, which says what is known.",
    todo: "Run `pulumi up` again when the service works. If the error contains an id, follow its advice.",
  },
  reset: {
    title: "Connection reset",
    fault: "The connection is reset before or after the service carried the request out.",
    happens: `As with a server error. ${UNCERTAIN}`,
    see: "As with a server error.",
    todo: "As with a server error.",
  },
  cut: {
    title: "Response cut",
    fault:
      "The connection is cut in the middle of the response's body. A broken TLS connection looks the same.",
    happens: `The request succeeded, but the provider cannot know. ${UNCERTAIN}`,
    see: "As with a server error.",
    todo: "As with a server error.",
  },
  stall: {
    title: "No response",
    fault: "The service sends no response, before or after it carried the request out.",
    happens: `The request times out. Then as with a server error. ${UNCERTAIN}`,
    see: "The command takes longer. It fails at the timeout.",
    todo: `${RERUN} A longer timeout: \`customTimeouts\`.`,
  },
  down: {
    title: "Service down",
    fault: "From one request on, every connection of the command is reset.",
    happens: "Retries end at the timeout. Completed steps are in the state.",
    see: "One error for each resource in progress.",
    todo: "Run `pulumi up` again when the service is back.",
  },
  body: {
    title: "Wrong response",
    fault:
      "Truncated JSON, another content type, a gateway's HTML page, a gateway's 404, an empty body, a wrong envelope, an error with status 200.",
    happens:
      "The provider ignores the response. A 404 counts as deleted only if the route is known to work. For a creation the response is lost.",
    see: "An error with what was received. Nothing if a retry succeeds.",
    todo: "Run `pulumi up` again when the gateway is repaired.",
  },
  field: {
    title: "Wrong field",
    fault: "One field of the response is missing, null, of another type or hostile.",
    happens: "The provider checks required fields. An unreadable output keeps its last value or stays empty.",
    see: "Nothing, or an error with the field's name.",
    todo: "`pulumi refresh` reads the right value once the service returns it.",
  },
  refused: {
    title: "Request refused",
    fault: "401 or 403 for one request.",
    happens: "The request is not retried and the step fails. Completed steps are in the state.",
    see: "An error with the status and what the service says.",
    todo: "Give the key the missing permission, and run `pulumi up` again.",
  },
  key: {
    title: "API key",
    fault: "The key is revoked or rotated in the middle of a command, or belongs to another account.",
    happens:
      "A wrong key never makes a resource count as deleted. The provider recognises another account's key.",
    see: "An error about the key.",
    todo: "Set the right key and run `pulumi up`, or `pulumi refresh --run-program`.",
  },
  kill: {
    title: "Killed",
    fault:
      "The provider or the engine is killed before or after a request was carried out, while its response is read, or before the checkpoint is written. A full disk at the checkpoint loses the step's result in the same way.",
    happens:
      "The next run looks up the resource by name. A killed process prints nothing, so only the engine's pending operation records what it left.",
    see: "The engine's warning of pending operations, then an error that offers `adopt` if a resource was left.",
    todo: "`pulumi cancel`, `pulumi refresh --clear-pending-creates`, `pulumi up`, then what the error offers.",
  },
  drift: {
    title: "Changed outside",
    fault: "The resource is deleted at the service just before a request arrives.",
    happens: "An update fails, a deletion succeeds, and a read reports that the resource is deleted.",
    see: "An error that the resource no longer exists, or a plan that creates it.",
    todo: "`pulumi refresh`, then `pulumi up`.",
  },
  rival: {
    title: "Another owner at the same moment",
    fault:
      "Another owner creates almost the same resource just before the request arrives; in some cases our response is lost too.",
    happens:
      "A resource that differs in a returned field belongs to another owner: it is never adopted, changed or deleted. A resource that is equal in every field and was created after the request cannot be distinguished from ours.",
    see: "Nothing. After a lost response, an error about what may exist.",
    todo: "What the error offers.",
  },
  stale: {
    title: "Stale reads",
    fault: "Reads return an old value, once or up to four times.",
    happens:
      "A stale read right after the creation is no change. If no earlier refresh has found a resource, a refresh reads it five times within 10 seconds before it removes it from the state.",
    see: "Nothing; a refresh may show an old value.",
    todo: "`pulumi refresh` later.",
  },
  list: {
    title: "Unreliable lists",
    fault: "A list omits, repeats or reorders items, has pages of one item, or shifts while it is paged.",
    happens: "If a list omits a resource, the provider reads the resource itself.",
    see: "Nothing, or an error that a lookup was uncertain.",
    todo: RERUN,
  },
  provisioning: {
    title: "Provisioning",
    fault: "It is slow, takes several reads, fails, or exceeds the timeout.",
    happens:
      "The provider waits until the timeout. A resource that is not ready by then stays in the state; one that failed is deleted.",
    see: "The status during the wait, then an error with the service's reason.",
    todo: `${RERUN} A longer timeout: \`customTimeouts\`.`,
  },
  normalised: {
    title: "Values in another form",
    fault:
      "The service returns values in another case, with a trailing slash, with a longer version, or clamped to its bounds.",
    happens: "An equivalent value is no change. A clamped value is shown unchanged.",
    see: "Nothing. For a clamped value, a warning or an error with the field's name.",
    todo: "Set the value that the service returns.",
  },
  masked: {
    title: "Masked secrets",
    fault: "Reads return a mask instead of the password that the creation returned.",
    happens: "The state keeps the original secret.",
    see: "Nothing.",
    todo: "Nothing.",
  },
  clock: {
    title: "Clock",
    fault: "The service's clock is a day ahead or behind.",
    happens: "The provider compares the service's times only with each other.",
    see: "Nothing.",
    todo: "Nothing.",
  },
};

/** What happens to a creation (of an action: to the action) whose response is lost. */
export const lostCreation: Readonly<Record<KindName, Pick<Prose, "happens" | "see" | "todo">>> = {
  Link: {
    happens: "Its slug is unique, so the provider looks the link up by slug and uses it if it matches.",
    see: "Nothing. An error if the link with the slug cannot be identified.",
    todo: "Adopt the link in the error, or choose another slug.",
  },
  Database: {
    happens:
      "With a derived name the provider finds it by name and uses it. With a given name the run stops, because two could exist.",
    see: "An error that it may have been created.",
    todo: "Check the service: adopt the resource, or run `pulumi up` again.",
  },
  BackupSchedule: {
    happens: "The request sets the database's only schedule, so it is retried.",
    see: "Nothing.",
    todo: "Nothing.",
  },
  VpsInstance: {
    happens: "As a database: used with a derived name, stopped with a given one.",
    see: "An error that it may have been created.",
    todo: "Check the service: adopt the resource, or run `pulumi up` again.",
  },
  Inbox: {
    happens: "The creation is retried, three times at most. A second inbox is free and expires.",
    see: "A message that a second inbox may exist and will expire.",
    todo: "Nothing.",
  },
  Webhook: {
    happens: "The run stops, because two could exist and each event would be delivered twice.",
    see: "An error that it may have been created.",
    todo: "Check the service: adopt the webhook, or delete it and run `pulumi up` again.",
  },
  VpsAction: {
    happens: "The action is not retried, because it could run twice. It counts as done.",
    see: "A message that it may have run.",
    todo: "Check the server. If the action did not run, change `triggers` to run it again.",
  },
};
