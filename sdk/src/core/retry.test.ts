import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { FakeClock } from "../testing/fake-clock.js";
import { aPost, aRequest } from "../testing/requests.js";
import type { CloudServicesError } from "./base-error.js";
import {
  AbortError,
  BadRequestError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnreadableResponseError,
} from "./errors.js";
import { Limiter, withRateLimit } from "./limiter.js";
import { logTo } from "./log.js";
import type { OutgoingRequest } from "./request.js";
import { withRetry } from "./retry.js";

const unreached = () => new ConnectionError({ message: "refused", outcome: "notSent" });
const broken = () => new ConnectionError({ message: "reset", outcome: "ambiguous" });
const timedOut = () => new TimeoutError({ message: "late", outcome: "ambiguous" });
const status = (code: number, after?: number) =>
  new ServerError({ message: `${code}`, outcome: "ambiguous", status: code }, after);
const refused = (after?: number) =>
  new RateLimitError({ message: "429", outcome: "rejected", status: 429 }, after);
const garbled = () => new UnreadableResponseError({ message: "cut", outcome: "ambiguous", status: 200 });
const misshapen = () =>
  new UnreadableResponseError({ message: "shape", outcome: "ambiguous", status: 200 }, [
    { path: "data.id", expected: "string", received: "number" },
  ]);

/** Fails as scripted, then succeeds, on a clock that is advanced at once. */
async function play(request: OutgoingRequest, failures: CloudServicesError[]) {
  const clock = new FakeClock();
  const limiter = new Limiter(4, clock, () => 1);
  const logged: Record<string, unknown>[] = [];
  const note = (_: string, fields: Record<string, unknown>) => void logged.push(fields);
  const log = logTo({ error: note, warn: note, info: note, debug: note }, "info");
  const sentAt: number[] = [];
  const step = withRateLimit(async () => {
    sentAt.push(clock.now());
    const failure = failures[sentAt.length - 1];
    if (failure !== undefined) throw failure;
    return "done";
  }, limiter);
  const result = withRetry(step, { clock, random: () => 1, limiter, log })(request).catch(
    (error: unknown) => error,
  );
  await clock.advance(1_000_000);
  return { result: await result, sentAt, logged, clock };
}

describe("withRetry", () => {
  it.each([
    ["a failed connection attempt", unreached],
    ["a connection that broke", broken],
    ["an attempt that timed out", timedOut],
    ["500", () => status(500)],
    ["502", () => status(502)],
    ["503", () => status(503)],
    ["504", () => status(504)],
    ["429", () => refused()],
    ["a success that cannot be read", garbled],
  ])("retries GET after %s", async (_, failure) => {
    const { result, sentAt } = await play(aRequest(), [failure()]);
    expect(result).toBe("done");
    expect(sentAt).toHaveLength(2);
  });

  it.each([
    ["a failed connection attempt", unreached],
    ["429", () => refused()],
  ])("retries POST after %s", async (_, failure) => {
    expect((await play(aPost(), [failure()])).result).toBe("done");
  });

  it.each([
    ["a connection that broke", broken],
    ["an attempt that timed out", timedOut],
    ["500", () => status(500)],
    ["503 with Retry-After", () => status(503, 1_000)],
    ["a success that cannot be read", garbled],
  ])("does not retry POST after %s", async (_, failure) => {
    const error = failure();
    const { result, sentAt } = await play(aPost(), [error]);
    expect(result).toBe(error);
    expect(result).toMatchObject({ outcome: "ambiguous", attempts: 1 });
    expect(sentAt).toHaveLength(1);
  });

  it("retries POST with an idempotency key", async () => {
    expect((await play(aPost({ idempotent: true }), [status(500)])).result).toBe("done");
  });

  it.each([
    [
      "a request that was rejected",
      () => new BadRequestError({ message: "400", outcome: "rejected", status: 400 }),
    ],
    ["a permanent status", () => status(505)],
    ["a response of a wrong shape", misshapen],
    ["an abort by the caller", () => new AbortError({ message: "aborted", outcome: "ambiguous" })],
  ])("does not retry after %s", async (_, failure) => {
    const { sentAt } = await play(aRequest(), [failure()]);
    expect(sentAt).toHaveLength(1);
  });
});

describe("retries", () => {
  it("stop at maxRetries, with pauses that double up to a cap", async () => {
    const { result, sentAt } = await play(
      aRequest({ maxRetries: 7 }),
      Array.from({ length: 20 }, () => status(500)),
    );
    expect(result).toMatchObject({ code: "SERVER_ERROR", attempts: 8 });
    const pauses = sentAt.slice(1).map((at, before) => at - (sentAt[before] ?? 0));
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it("do not happen with maxRetries 0, not even after a 429", async () => {
    expect((await play(aRequest({ maxRetries: 0 }), [refused()])).sentAt).toHaveLength(1);
  });

  it("wait at least for the Retry-After of a 503", async () => {
    expect((await play(aRequest(), [status(503, 3_000)])).sentAt).toEqual([0, 3_000]);
  });

  it("stop before the deadline, with the error of the last attempt", async () => {
    const request = aRequest({ maxRetries: 100, deadline: 4_000, deadlineAt: 4_000 });
    const { result, sentAt } = await play(
      request,
      Array.from({ length: 100 }, () => status(500)),
    );
    expect(result).toMatchObject({ code: "SERVER_ERROR" });
    expect(sentAt).toEqual([0, 500, 1_500, 3_500]);
  });

  it("do not wait for a Retry-After beyond the deadline either", async () => {
    const request = aRequest({ deadline: 4_000, deadlineAt: 4_000 });
    const { result, sentAt } = await play(request, [refused(5_000)]);
    expect(result).toMatchObject({ code: "RATE_LIMITED", outcome: "rejected" });
    expect(sentAt).toHaveLength(1);
  });

  it("are logged with their reason and count", async () => {
    const { logged } = await play(aRequest(), [status(502), refused(100)]);
    expect(logged).toMatchObject([
      { attempt: 1, status: 502, code: "SERVER_ERROR", pauseMs: 500 },
      { attempt: 2, status: 429, code: "RATE_LIMITED", pauseMs: 100 },
    ]);
  });

  it("stop when the caller aborts during a pause, and the call stays ambiguous", async () => {
    const put = await abortedInPause(aRequest({ method: "PUT" }), broken());
    // The attempt before may have succeeded, and aborting does not undo it.
    expect(put).toMatchObject({
      outcome: "ambiguous",
      attempts: 1,
      advice: expect.stringContaining("Check"),
    });
  });

  it("keep the id that a response has shown when the caller aborts during a pause", async () => {
    const cut = new ConnectionError({ message: "cut", outcome: "ambiguous", resourceId: "link_1" });
    const post = await abortedInPause(aPost({ idempotent: true }), cut);
    expect(post).toMatchObject({ outcome: "ambiguous", attempts: 1, resourceId: "link_1" });
  });

  it("keep the id that a response has shown when a later attempt fails without one", async () => {
    const cut = new ConnectionError({ message: "cut", outcome: "ambiguous", resourceId: "link_1" });
    const { result } = await play(aPost({ idempotent: true, maxRetries: 1 }), [cut, unreached()]);
    expect(result).toMatchObject({ message: "refused", attempts: 2, resourceId: "link_1" });
  });
});

/** The error of a call that fails once and is aborted in the pause after it. */
async function abortedInPause(request: OutgoingRequest, failure: CloudServicesError): Promise<AbortError> {
  const clock = new FakeClock();
  const limiter = new Limiter(4, clock, () => 1);
  const caller = new AbortController();
  const step = withRetry(() => Promise.reject(failure), {
    clock,
    random: () => 1,
    limiter,
    log: logTo(undefined, "off"),
  });
  const error = errorOf(step({ ...request, signal: caller.signal }), AbortError);
  await clock.advance(100);
  caller.abort();
  await error;
  expect(clock.timers).toBe(0);
  return error;
}

describe("an ambiguous attempt", () => {
  it("makes the whole call ambiguous when a later attempt is not sent", async () => {
    const { result } = await play(aPost({ idempotent: true, maxRetries: 1 }), [broken(), unreached()]);
    expect(result).toMatchObject({ code: "CONNECTION_FAILED", outcome: "ambiguous", attempts: 2 });
  });

  it("of a GET does not make the call ambiguous", async () => {
    const { result } = await play(aRequest({ maxRetries: 1 }), [broken(), unreached()]);
    expect(result).toMatchObject({ outcome: "notSent" });
  });
});

describe("429", () => {
  it("counts as a retry only while no other request is accepted", async () => {
    const clock = new FakeClock();
    const limiter = new Limiter(4, clock, () => 1);
    let attempts = 0;
    const step = withRateLimit(async () => {
      attempts += 1;
      if (attempts === 10) return "done";
      // Other requests get through meanwhile.
      limiter.recordAccepted();
      throw refused(10);
    }, limiter);
    const call = withRetry(step, { clock, random: () => 1, limiter, log: logTo(undefined, "off") });
    const result = call(aRequest({ maxRetries: 1 }));
    await clock.advance(10_000);
    expect(await result).toBe("done");
  });

  it("fails after maxRetries when nothing is accepted", async () => {
    const { result } = await play(
      aRequest({ maxRetries: 2 }),
      Array.from({ length: 50 }, () => refused(10)),
    );
    expect(result).toMatchObject({ code: "RATE_LIMITED", attempts: 3 });
  });
});
