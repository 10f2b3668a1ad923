import { isDeepStrictEqual } from "node:util";
import type { Evidence } from "../../evidence/evidence.js";
import type { Exchange } from "../../evidence/service.js";
import { type Finding, finding, lineOf, type Rule } from "../violation.js";

/** docs/sdk.md, "Retries and limits": obeyed up to a minute. */
const LONGEST = 60_000;

/** A timer may come a little before its time. */
const TOLERANCE = 5;

/** `Retry-After` is kept: after 429 by every request of the process, after 5xx by the same request. */
export const retryAfter: Rule = {
  name: "retry-after",
  judge: (evidence) =>
    evidence.exchanges.flatMap((asked) => {
      const pause = pauseAsked(asked);
      if (pause === undefined) return [];
      const early = nextOf(evidence, asked).find(
        ({ at }) => at < (asked.endedAt ?? asked.at) + pause - TOLERANCE,
      );
      return early ? [tooEarly(asked, early, pause)] : [];
    }),
};

function pauseAsked({ sent, retryAfter }: Exchange): number | undefined {
  if (sent === undefined || retryAfter === undefined || retryAfter <= 0) return undefined;
  return sent.status === 429 || sent.status >= 500 ? Math.min(retryAfter, LONGEST) : undefined;
}

/** What has to wait: what was under way already when the answer came does not. */
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
    `a request came ${early.at - (asked.endedAt ?? asked.at)} ms after an answer that asked for ${pause} ms`,
    lineOf(asked),
    lineOf(early),
  );
