import type { Dispatcher } from "undici";
import { openAgent } from "./agent.js";
import { withAuth } from "./auth.js";
import type { Clock } from "./clock.js";
import { withDebugLog } from "./debug-log.js";
import { withEnvelope } from "./envelope.js";
import { sendByFetch } from "./fetch-transport.js";
import { Limiter, withRateLimit } from "./limiter.js";
import { logTo } from "./log.js";
import type { DecodedResponse, Step } from "./request.js";
import { withRetry } from "./retry.js";
import type { Settings } from "./settings.js";
import { withTimeout } from "./timeout.js";
import { dispatch, type Transport } from "./transport.js";

/** What tests replace. */
export interface Dependencies {
  readonly clock: Clock;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  /** Returns an idempotency key. */
  readonly uuid: () => string;
}

export interface Pipeline {
  readonly send: Step<DecodedResponse>;
  readonly limiter: Limiter;
  /** Closes the connections of the client's own dispatcher. */
  close(): Promise<void>;
}

/** Builds the chain of steps from a call down to the wire. Each step wraps the one above it in this list. */
export function assemblePipeline(settings: Settings, { clock, random }: Dependencies): Pipeline {
  const log = logTo(settings.logger, settings.logLevel);
  const limiter = new Limiter(settings.maxConcurrency, clock, random);
  let own: Promise<Dispatcher> | undefined;
  let transport = givenTransport(settings);
  const openTransport = async (): Promise<Transport> => {
    own ??= openAgent(settings);
    const dispatcher = await own;
    transport = (request) => dispatch(dispatcher, request);
    return transport;
  };

  const attempt = withTimeout(() => transport ?? openTransport(), clock); // sends one attempt, bounded by its timeout
  const logged = withDebugLog(attempt, log, clock); // logs it at level debug
  const decoded = withEnvelope(logged, clock); // returns the data, or throws the error of the status
  const authenticated = withAuth(decoded, settings.apiKey, clock); // adds the current API key
  const paced = withRateLimit(authenticated, limiter); // waits for a free slot
  const send = withRetry(paced, { clock, random, limiter, log }); // retries where that is safe

  return { send, limiter, close: async () => (await own)?.close() };
}

/** Returns the transport that the options set. Undefined: the client's own, which the first request opens. */
function givenTransport({ fetch, dispatcher }: Settings): Transport | undefined {
  if (fetch !== undefined) return (request) => sendByFetch(fetch, request);
  return dispatcher && ((request) => dispatch(dispatcher, request));
}
