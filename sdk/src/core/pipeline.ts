import { Agent, type Dispatcher } from "undici";
import { authorised } from "./auth.js";
import type { Clock } from "./clock.js";
import { opened } from "./envelope.js";
import { journalled } from "./journal.js";
import { Limiter, limited } from "./limiter.js";
import { logTo } from "./log.js";
import type { Answer, Step } from "./request.js";
import { retried } from "./retry.js";
import type { Settings } from "./settings.js";
import { sentInTime } from "./timeout.js";

/** What differs between a program and a test. */
export interface Surroundings {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Idempotency keys. */
  readonly uuid: () => string;
}

export interface Pipeline {
  readonly send: Step<Answer>;
  readonly limiter: Limiter;
  /** Closes the connections that the client opened itself. */
  close(): Promise<void>;
}

/** The way of a request from the call down to the wire, and of its answer back up. */
export function assemble(settings: Settings, { clock, random }: Surroundings): Pipeline {
  const log = logTo(settings.logger, settings.logLevel);
  const limiter = new Limiter(settings.maxConcurrency, clock, random);
  let own: Agent | undefined;
  const dispatcher = (): Dispatcher => {
    own ??=
      settings.dispatcher === undefined ? new Agent({ connections: settings.maxConcurrency }) : undefined;
    return settings.dispatcher ?? own ?? new Agent();
  };

  const wire = sentInTime(dispatcher, clock); // one attempt: written, answered, or given up in time
  const noted = journalled(wire, log, clock); // told at level debug
  const answered = opened(noted, clock); // the envelope, or the error that the status means
  const known = authorised(answered, settings.apiKey, clock); // with the current key
  const admitted = limited(known, limiter); // when there is a place
  const send = retried(admitted, { clock, random, limiter, log }); // again, where that is safe

  return { send, limiter, close: async () => own?.close() };
}
