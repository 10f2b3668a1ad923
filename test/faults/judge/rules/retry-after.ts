import { isDeepStrictEqual } from "node:util";
import type { Evidence } from "../../evidence/evidence.js";
import type { Exchange } from "../../evidence/service.js";
import { type Finding, finding, lineOf, type Rule } from "../violation.js";

/** Kept up to a minute: docs/sdk.md, "Retries and limits". */
const LONGEST = 60_000;

/** A timer may fire a little early. */
const TOLERANCE = 5;

/** The provider keeps `Retry-After`: after 429 for every request of the process, after 5xx for the same request. */
export const retryAfter: Rule = {
  name: "retry-after",
  judge: (evidence) =>
    evidence.exchanges.flatMap((asked) => {
      const pause = requiredPause(asked);
      if (pause === undefined) return [];
      const early = nextOf(evidence, asked).find(
        ({ at }) => at < (asked.endedAt ?? asked.at) + pause - TOLERANCE,
      );
      return early ? [tooEarly(asked, early, pause)] : [];
    }),
};

function requiredPause({ sent, retryAfter }: Exchange): number | undefined {
  if (sent === undefined || retryAfter === undefined || retryAfter <= 0) return undefined;
  return sent.status === 429 || sent.status >= 500 ? Math.min(retryAfter, LONGEST) : undefined;
}

/** Returns the requests that must wait; those already in flight need not. */
function nextOf({ exchanges }: Evidence, asked: Exchange): Exchange[] {
  const answeredAt = asked.endedAt ?? asked.at;
  return exchanges.slice(asked.index + 1).filter((exchange) => {
    if (exchange.process !== asked.process) return false;
    if (isSame(exchange, asked)) return true;
    return asked.sent?.status === 429 && exchange.at > answeredAt;
  });
}

const isSame = (a: Exchange, b: Exchange): boolean =>
  a.method === b.method && a.target === b.target && isDeepStrictEqual(a.requestBody, b.requestBody);

const tooEarly = (asked: Exchange, early: Exchange, pause: number): Finding =>
  finding(
    `a request came ${early.at - (asked.endedAt ?? asked.at)} ms after a response with a Retry-After of ${pause} ms`,
    lineOf(asked),
    lineOf(early),
  );
