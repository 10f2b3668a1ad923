import { isDeepStrictEqual } from "node:util";
import type { Evidence } from "../../evidence/evidence.js";
import type { Phase } from "../../evidence/phase.js";
import type { Exchange } from "../../evidence/service.js";
import { isRecord, member, phaseOf, programOf } from "../facts.js";
import { type Finding, finding, lineOf, type Rule } from "../violation.js";

/**
 * A request that is not idempotent is retried only with proof that the first had no effect. Retries are allowed for GET,
 * PUT, PATCH and DELETE, for the creation of a link with a slug, which is unique, and of an inbox, which is free and
 * expires.
 */
export const resent: Rule = {
  name: "resent",
  judge: (evidence) => [...again(evidence), ...doneTwice(evidence)],
};

function again(evidence: Evidence): Finding[] {
  const posts = evidence.exchanges.filter((exchange) => exchange.method === "POST" && !mayDouble(exchange));
  return posts.flatMap((second, at): Finding[] => {
    const first = posts.slice(0, at).findLast((earlier) => isSame(earlier, second));
    if (first === undefined || provesNothingDone(first) || isDone(first)) return [];
    return [
      finding(
        `${second.method} ${second.target} was sent again without proof that the first had no effect`,
        lineOf(first),
        lineOf(second),
      ),
    ];
  });
}

/** A later run does not repeat an action that may have run, unless the process was killed. */
function doneTwice(evidence: Evidence): Finding[] {
  const actions = evidence.exchanges.filter(
    ({ method, route, requestBody, service }) =>
      method === "POST" &&
      route === "/vps/instances/:id/actions" &&
      once.has(member(requestBody, "action")) &&
      service?.committed,
  );
  return actions.flatMap((second, at): Finding[] => {
    const first = actions
      .slice(0, at)
      .findLast(
        (earlier) =>
          earlier.target === second.target && isDeepStrictEqual(earlier.requestBody, second.requestBody),
      );
    if (!first || first.process === second.process) return [];
    const phase = evidence.phases[phaseOf(evidence, first)];
    const later = evidence.phases[phaseOf(evidence, second)];
    if (!phase || !later || phase.outcome === "killed") return [];
    if (!isDeepStrictEqual(actionsIn(evidence, phase), actionsIn(evidence, later))) return [];
    return [
      finding("an action ran again although the program did not change it", lineOf(first), lineOf(second)),
    ];
  });
}

/** The actions with an effect every time; a second start or stop has none. */
const once: ReadonlySet<unknown> = new Set(["reboot", "rebuild", "create_snapshot"]);

const actionsIn = (evidence: Evidence, phase: Phase): unknown =>
  programOf(evidence, phase)?.resources.filter(({ kind }) => kind === "VpsAction");

function mayDouble({ route, requestBody, requestHeaders }: Exchange): boolean {
  if (route === "/tempmail/inboxes") return true;
  if (route === "/shortener/links" && typeof member(requestBody, "slug") === "string") return true;
  return "idempotency-key" in requestHeaders;
}

const isSame = (a: Exchange, b: Exchange): boolean =>
  a.process === b.process && a.target === b.target && isDeepStrictEqual(a.requestBody, b.requestBody);

/** Whether a 4xx shows that the service refused the request. Specification: "Errors". */
const provesNothingDone = ({ sent }: Exchange): boolean =>
  sent !== undefined && sent.status >= 400 && sent.status < 500;

/** Whether the request succeeded, so that the next one is not a retry. */
function isDone({ sent }: Exchange): boolean {
  if (sent === undefined || sent.cut || sent.status < 200 || sent.status > 299) return false;
  return isRecord(sent.body) && sent.body["status"] === "success";
}
