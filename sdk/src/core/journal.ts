import type { Clock } from "./clock.js";
import { parsedJson } from "./json.js";
import type { Log } from "./log.js";
import type { OutgoingRequest, RawAnswer, Step } from "./request.js";

/** Tells each attempt and its answer at level `debug`, bodies included, secrets excluded. */
export function journalled(next: Step<RawAnswer>, log: Log, clock: Clock): Step<RawAnswer> {
  if (!log.verbose) return next;
  return async (request) => {
    const started = clock.now();
    const told = `${request.method} ${request.path}`;
    log.debug(`${told}: sending`, { body: readable(request) });
    try {
      const answer = await next(request);
      log.debug(`${told}: ${answer.status}`, {
        milliseconds: Math.round(clock.now() - started),
        body: parsed(answer.body),
      });
      return answer;
    } catch (error) {
      log.debug(`${told}: no answer`, {
        milliseconds: Math.round(clock.now() - started),
        code: error instanceof Error && "code" in error ? error.code : undefined,
      });
      throw error;
    }
  };
}

function readable(request: OutgoingRequest): unknown {
  return request.body === undefined ? undefined : parsed(request.body);
}

/** A body that is no JSON could hold anything anywhere, so only its length is told. */
function parsed(body: string): unknown {
  return parsedJson(body) ?? `${body.length} characters that are not JSON`;
}
