import { isDeepStrictEqual } from "node:util";
import type { Evidence } from "../../evidence/evidence.js";
import type { Phase } from "../../evidence/phase.js";
import type { Exchange } from "../../evidence/service.js";
import { exchangesIn, programOf } from "../facts.js";
import { type Finding, finding, lineOf, phaseLine, type Rule } from "../violation.js";

/** The sdk sends a request at most 4 times, and the provider repeats such a call at most 3 times. */
export const MOST_ATTEMPTS = 12;

/** A 429 is no failure while other requests succeed, so a request may be refused more often. */
export const MOST_REFUSALS = 60;

/** Polling pauses for a thirtieth of the time waited, at most ten seconds, with jitter. */
const LONGEST_INTERVAL = 9_000;

/** How many polls more than that a wait sends until the interval is at its maximum. */
const FIRST_POLLS = 77;

/** Retries and the requests of one command are bounded. */
export const bounds: Rule = {
  name: "bounds",
  judge: (evidence) =>
    evidence.phases.flatMap((phase, index) => [
      ...tooManyAttempts(evidence, phase),
      ...tooManyRequests(evidence, phase, index),
    ]),
};

function tooManyAttempts(evidence: Evidence, phase: Phase): Finding[] {
  return groups(exchangesIn(evidence, phase)).flatMap((same) => {
    const first = same[0];
    const last = same.at(-1);
    if (!first || !last) return [];
    const failed = same.filter((exchange) => !isAnswered(exchange));
    const refused = failed.filter(({ sent }) => sent?.status === 429).length;
    const polls = first.method === "GET" ? pollsIn(last.at - first.at) : 0;
    if (failed.length - refused <= MOST_ATTEMPTS + polls && refused <= MOST_REFUSALS) return [];
    return [
      finding(
        `${first.method} ${first.target} failed ${failed.length} times in one run; ${MOST_ATTEMPTS + polls} are allowed`,
        lineOf(first),
        lineOf(last),
      ),
    ];
  });
}

/** Groups equal requests of one process. */
function groups(exchanges: readonly Exchange[]): Exchange[][] {
  const found: Exchange[][] = [];
  for (const exchange of exchanges) {
    const same = found.find(([first]) => first !== undefined && isSame(first, exchange));
    if (same) same.push(exchange);
    else found.push([exchange]);
  }
  return found;
}

const isSame = (a: Exchange, b: Exchange): boolean =>
  a.process === b.process &&
  a.method === b.method &&
  a.target === b.target &&
  isDeepStrictEqual(a.requestBody, b.requestBody);

const isAnswered = ({ sent }: Exchange): boolean =>
  sent !== undefined && !sent.cut && (sent.status < 400 || sent.status === 404 || sent.status === 409);

const pollsIn = (milliseconds: number): number =>
  milliseconds < 100 ? 0 : FIRST_POLLS + Math.ceil(milliseconds / LONGEST_INTERVAL);

/**
 * For each resource of the program and of the state: a read before, a change of up to three requests, a read after, and
 * polls. In addition a list or two for each kind, and the retries of each failure.
 */
function mostRequests(evidence: Evidence, phase: Phase, index: number): number {
  const before = evidence.phases[index - 1]?.state.resources.length ?? 0;
  const resources = before + (programOf(evidence, phase)?.resources.length ?? 0);
  const failures = exchangesIn(evidence, phase).filter((exchange) => !isAnswered(exchange)).length;
  const polls = pollsIn(phase.endedAt - phase.startedAt);
  return 14 + resources * (6 + polls) + failures * 4;
}

function tooManyRequests(evidence: Evidence, phase: Phase, index: number): Finding[] {
  const sent = phase.exchanges[1] - phase.exchanges[0];
  // The preview of a refresh sends GET requests.
  const isPlan = phase.command === "preview" && phase.program !== undefined;
  const most = isPlan ? 0 : mostRequests(evidence, phase, index);
  if (sent <= most) return [];
  return [finding(`${sent} requests in one run; ${most} are allowed`, phaseLine(evidence, index))];
}
