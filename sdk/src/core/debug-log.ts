import type { Clock } from "./clock.js";
import { parsedJson } from "./json.js";
import type { Log } from "./log.js";
import { redact, secretsOf } from "./redact.js";
import type { OutgoingRequest, RawResponse, Step } from "./request.js";

/** Logs each attempt and its response at level `debug`, with bodies and without secrets. */
export function withDebugLog(next: Step<RawResponse>, log: Log, clock: Clock): Step<RawResponse> {
  if (!log.verbose) return next;
  return async (request) => {
    const started = clock.now();
    const label = `${request.method} ${request.path}`;
    log.debug(`${label}: sending`, { body: readable(request) });
    try {
      const response = await next(request);
      log.debug(`${label}: ${response.status}`, {
        milliseconds: Math.round(clock.now() - started),
        body: redact(parsed(response.body), secretsOf(request)),
      });
      return response;
    } catch (error) {
      log.debug(`${label}: no response`, {
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

/** Returns the body to log. A body that is not JSON may hold secrets anywhere, so only its length is logged. */
function parsed(body: string): unknown {
  return parsedJson(body) ?? `${body.length} characters that are not JSON`;
}
