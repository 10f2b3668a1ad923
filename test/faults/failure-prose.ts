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
    happens:
      "The provider waits as long as the service asks, within the operation's time limit, and retries.",
    see: "Nothing, or one line that names the wait. An absurd wait ends with an error.",
    todo: `Nothing. After an error: ${RERUN}`,
  },
  "server-error": {
    title: "Server error",
    fault:
      "500, 502, 503 or 504, before or after the service carried the request out, once or for the whole command.",
    happens: `Reads, deletions and repeatable changes are retried. ${UNCERTAIN}`,
    see: "Nothing when a retry succeeds. Otherwise one error for each resource, which says what is certain.",
    todo: "Run `pulumi up` again when the service works; follow the error where it names an id.",
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
    fault: "The connection is cut in the middle of the response's body. TLS that breaks off looks the same.",
    happens: `The request was carried out, so it counts as uncertain. ${UNCERTAIN}`,
    see: "As with a server error.",
    todo: "As with a server error.",
  },
  stall: {
    title: "No response",
    fault: "The service never answers, before or after it carried the request out.",
    happens: `The request times out, then as with a server error. ${UNCERTAIN}`,
    see: "The command takes longer; at the time limit it ends with an error.",
    todo: `${RERUN} A larger limit: \`customTimeouts\`.`,
  },
  down: {
    title: "Service down",
    fault: "From one request on, every connection of the command is reset.",
    happens: "Retries end at the time limit. What was done before is in the state.",
    see: "One error for each resource that was under way.",
    todo: "Run `pulumi up` again when the service is back.",
  },
  body: {
    title: "Wrong response",
    fault:
      "Truncated JSON, another content type, a gateway's HTML page, a gateway's 404, an empty body, a wrong envelope, an error with status 200.",
    happens:
      "The response is not believed. A 404 counts as deleted only where the route is known to work. For a creation the response is lost.",
    see: "An error that says what was received. Nothing where a retry succeeds.",
    todo: "Run `pulumi up` again when the gateway is repaired.",
  },
  field: {
    title: "Wrong field",
    fault: "One field of the response is missing, null, of another type or hostile.",
    happens:
      "Fields that matter are checked; an output that cannot be read keeps its last value or stays empty.",
    see: "Nothing, or an error that names the field.",
    todo: "`pulumi refresh` reads the right value once the service returns it.",
  },
  refused: {
    title: "Request refused",
    fault: "401 or 403 for one request.",
    happens: "The request is not retried; the resource's step fails. What was done before is in the state.",
    see: "An error with the status and what the service says.",
    todo: "Give the key the permission that is missing, and run `pulumi up` again.",
  },
  key: {
    title: "API key",
    fault: "The key is revoked or rotated in the middle of a command, or belongs to another account.",
    happens: "Nothing is taken for deleted because of a wrong key. Another account's key is recognised.",
    see: "An error that names the key.",
    todo: "Set the right key and run `pulumi up`, or `pulumi refresh --run-program`.",
  },
  kill: {
    title: "Killed",
    fault:
      "The provider or the engine is killed before or after a request was carried out, while its response is read, or before the checkpoint is written. A disk that is full before the checkpoint loses the step's result in the same way.",
    happens:
      "The next run looks for what was created, by name. A process that was killed can print nothing, so what it leaves is recorded only as the engine's pending operation.",
    see: "The engine's warning of pending operations; then an error that offers `adopt` where something was left.",
    todo: "`pulumi cancel`, `pulumi refresh --clear-pending-creates`, `pulumi up`, and what the error offers.",
  },
  drift: {
    title: "Changed outside",
    fault: "The resource is deleted at the service just before a request arrives.",
    happens: "An update fails, a deletion succeeds, and a read reports that the resource is deleted.",
    see: "An error that the resource no longer exists, or a plan that creates it.",
    todo: "`pulumi refresh`, then `pulumi up`.",
  },
  rival: {
    title: "Somebody else at the same moment",
    fault:
      "Somebody else creates almost the same just before the request arrives; or does so, and the response is lost.",
    happens:
      "What differs in a returned field is somebody else's: it is never adopted, changed or deleted. What is the same in every field and was created after the request cannot be told from ours.",
    see: "Nothing; after a lost response, an error that names what may be there.",
    todo: "What the error offers.",
  },
  stale: {
    title: "Stale reads",
    fault: "Reads return what was there before, once or up to four times.",
    happens:
      "A stale read right after the creation is no change. A refresh looks five times within 10 seconds for what no earlier one has found, before it takes it out of the state.",
    see: "Nothing; a refresh may show an old value.",
    todo: "`pulumi refresh` later.",
  },
  list: {
    title: "Unreliable lists",
    fault: "A list omits, repeats or reorders items, has pages of one item, or shifts while it is paged.",
    happens: "That a list does not show a resource is confirmed by reading the resource itself.",
    see: "Nothing, or an error that something could not be found with certainty.",
    todo: RERUN,
  },
  provisioning: {
    title: "Provisioning",
    fault: "It is slow, takes several reads, fails, or takes longer than the time limit.",
    happens:
      "The provider waits until the time limit. A resource that is not ready by then stays in the state; one that the service gave up is deleted.",
    see: "The status while it waits; an error with the service's reason.",
    todo: `${RERUN} More time: \`customTimeouts\`.`,
  },
  normalised: {
    title: "Values in another form",
    fault:
      "The service returns values in another case, with a slash, a longer version, or clamped to its bounds.",
    happens: "Another spelling of the same value is no change. A clamped value is shown as it is.",
    see: "Nothing; for a clamped value a warning or an error that names the field.",
    todo: "Write the value that the service keeps.",
  },
  masked: {
    title: "Masked secrets",
    fault: "Reads return a mask instead of the password that the creation returned.",
    happens: "The state keeps the secret that it knows.",
    see: "Nothing.",
    todo: "Nothing.",
  },
  clock: {
    title: "Clock",
    fault: "The service's clock is a day ahead or behind.",
    happens: "Times of the service are compared only with other times of the service.",
    see: "Nothing.",
    todo: "Nothing.",
  },
};

/** What happens to a creation (of an action: to the action) whose response is lost. */
export const lostCreation: Readonly<Record<KindName, Pick<Prose, "happens" | "see" | "todo">>> = {
  Link: {
    happens: "Its slug can exist only once, so the link is looked up by it and taken where it agrees.",
    see: "Nothing; an error where the slug's link cannot be identified.",
    todo: "Adopt the link that the error names, or choose another slug.",
  },
  Database: {
    happens:
      "With a derived name it is found by the name and taken. With a given name the run stops, because two could exist.",
    see: "An error that it may or may not have been created.",
    todo: "Look at the service: adopt what is there, or run `pulumi up` again.",
  },
  BackupSchedule: {
    happens: "The request sets the database's only schedule, so it is retried.",
    see: "Nothing.",
    todo: "Nothing.",
  },
  VpsInstance: {
    happens: "As a database: taken by a derived name, refused with a given one.",
    see: "An error that it may or may not have been created.",
    todo: "Look at the service: adopt what is there, or run `pulumi up` again.",
  },
  Inbox: {
    happens: "It is sent again, three times at most. A second inbox costs nothing and expires by itself.",
    see: "A message that a second inbox may exist and will expire.",
    todo: "Nothing.",
  },
  Webhook: {
    happens: "The run stops, because two could exist and each event would be delivered twice.",
    see: "An error that it may or may not have been created.",
    todo: "Look at the service: adopt what is there, or delete it and run `pulumi up` again.",
  },
  VpsAction: {
    happens: "It is not sent again, because it could run twice. It counts as done.",
    see: "A message that it may or may not have been done.",
    todo: "Look at the server. If the action did not run, change `triggers`.",
  },
};
