import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { failing, judge, type Thing, world } from "../testing/things.js";
import {
  AbortError,
  AuthenticationError,
  FailedStateError,
  NotFoundError,
  WaitTimeoutError,
} from "./errors.js";
import { Poller } from "./poller.js";
import { BACKGROUND_WORK } from "./shared-poller.js";

describe("one wait", () => {
  it("resolves when the resource is ready, with pauses that grow with the time waited", async () => {
    const { poller, clock, readyAt, requests } = world();
    readyAt.set("a", 100_000);
    const polledAt: number[] = [];
    const ready = poller.waitForState("a", judge, { onPoll: ({ elapsed }) => polledAt.push(elapsed) });
    await clock.advance(110_000);
    expect(await ready).toEqual({ id: "a", status: "ready", address: "a" });
    expect(polledAt.slice(0, 33)).toEqual([
      ...Array.from({ length: 32 }, (_, at) => at * 1_000),
      32_000 + 100 / 3,
    ]);
    expect(polledAt.at(-1)).toBeLessThan(105_000);
    expect(requests.length).toBeLessThan(70);
    expect(clock.timers).toBe(0);
  });

  it.each([
    ["a median of 0.6 s late, up to 30 s", 400, 30_000, () => 600],
    ["a median of 0.6 s late, just before 30 s", 24_000, 30_000, () => 600],
    ["a median of 2 % late, beyond", 30_400, 600_000, (wait: number) => wait * 0.02],
  ])("notices %s", async (_what, from, to, allowed) => {
    const lateness = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const { poller, clock, readyAt } = world();
        const wait = from + ((to - from) * at) / 39;
        readyAt.set("a", wait);
        const noticed = poller.waitForState("a", judge, {}).then(() => clock.now());
        await clock.advance(to * 1.1);
        return ((await noticed) - wait) / allowed(wait);
      }),
    );
    expect(lateness.sort((a, b) => a - b)[20]).toBeLessThan(1);
  });

  it("reports each poll to onPoll", async () => {
    const { poller, clock, readyAt, breakWith } = world();
    readyAt.set("a", 3_000);
    const polls: unknown[] = [];
    breakWith(failing);
    const ready = poller.waitForState("a", judge, {
      onPoll: ({ attempt, status, error }) => polls.push([attempt, status, error?.code]),
    });
    await clock.advance(500);
    breakWith(undefined);
    await clock.advance(10_000);
    await ready;
    expect(polls).toEqual([
      [1, undefined, "SERVER_ERROR"],
      [2, "provisioning", undefined],
      [3, "provisioning", undefined],
      [4, "ready", undefined],
    ]);
  });

  it("survives failed polls, and its timeout error quotes the last failure and status", async () => {
    const { poller, clock, readyAt, breakWith } = world();
    readyAt.set("a", 1_000_000);
    const late = errorOf(poller.waitForState("a", judge, { timeout: 20_000 }), WaitTimeoutError);
    await clock.advance(3_000);
    breakWith(failing);
    await clock.advance(20_000);
    const error = await late;
    expect(error.message).toMatch(/not ready after 20000 ms.*provisioning.*500 again/);
    expect(error.advice).toContain("wait again");
    expect(error).toMatchObject({ lastStatus: "provisioning", lastSeen: { id: "a" }, code: "WAIT_TIMEOUT" });
    expect(clock.timers).toBe(0);
  });

  it("waits for every required member, and its timeout error names what is missing", async () => {
    const { clock } = world();
    const found: Thing = { id: "a", status: "ready" };
    const things = [found, found, { ...found, address: "here" }];
    const poller = new Poller<Thing>(
      {
        ...BACKGROUND_WORK,
        noun: "thing",
        path: (id) => `/things/${id}`,
        get: async () => things.shift() ?? found,
      },
      { clock, random: () => 0.5, pollInterval: 1_000 },
    );
    const isReady = ({ status }: Thing) => (status === "ready" ? "ready" : "pending");
    const required = { id: true, status: true, address: true } as const;
    const wait = (timeout: number) =>
      poller.waitUntilComplete<Required<Omit<Thing, "statusReason">>>("a", isReady, required, { timeout });
    const complete = wait(10_000);
    await clock.advance(5_000);
    expect((await complete).address).toBe("here");
    const late = errorOf(wait(3_000), WaitTimeoutError);
    await clock.advance(3_000);
    expect(await late).toMatchObject({
      code: "WAIT_TIMEOUT",
      message: "thing a is not ready after 3000 ms; its last status is ready, and it has no address.",
    });
  });

  it("fails at once on a failed state, with the service's reason", async () => {
    const { clock } = world();
    const poller = new Poller<Thing>(
      {
        ...BACKGROUND_WORK,
        noun: "thing",
        path: (id) => `/things/${id}`,
        deletion: (id) => `await client.things.delete("${id}")`,
        get: async (id) => ({ id, status: "failed", statusReason: "no capacity" }),
        list: () => {
          throw new Error("thrown by onPoll");
        },
      },
      { clock, random: () => 0.5, pollInterval: 1_000 },
    );
    const error = errorOf(poller.waitForState("a", judge, {}), FailedStateError);
    await clock.advance(1);
    expect(await error).toMatchObject({
      message: "thing a is failed: no capacity.",
      resourceStatus: "failed",
      reason: "no capacity",
      fixes: ['await client.things.delete("a")'],
    });
  });

  it("fails at once on an error that no later poll can fix", async () => {
    const { poller, clock, breakWith } = world();
    breakWith(() => new AuthenticationError({ message: "401", outcome: "rejected", status: 401 }));
    const error = errorOf(poller.waitForState("a", judge, {}), AuthenticationError);
    await clock.advance(1);
    await error;
  });

  it("survives a 404 for a new resource", async () => {
    const { poller, clock, readyAt } = world();
    const ready = poller.waitForState("a", judge, {});
    await clock.advance(5_000);
    readyAt.set("a", 0);
    await clock.advance(10_000);
    expect(await ready).toMatchObject({ status: "ready" });
  });

  it("fails when a resource is deleted, or never appears", async () => {
    const { poller, clock, readyAt } = world();
    readyAt.set("a", 1_000_000);
    const deletedLater = errorOf(poller.waitForState("a", judge, {}), NotFoundError);
    const never = errorOf(poller.waitForState("b", judge, {}), NotFoundError);
    await clock.advance(2_000);
    readyAt.delete("a");
    await clock.advance(3_000);
    await deletedLater;
    await clock.advance(30_000);
    await never;
  });

  it("ends when the caller aborts before or during the wait", async () => {
    const { poller, clock, readyAt } = world();
    readyAt.set("a", 1_000_000);
    const caller = new AbortController();
    const meanwhile = errorOf(poller.waitForState("a", judge, { signal: caller.signal }), AbortError);
    await clock.advance(5_000);
    caller.abort("enough");
    expect(await meanwhile).toMatchObject({ cause: "enough" });
    await errorOf(poller.waitForState("a", judge, { signal: caller.signal }), AbortError);
    expect(clock.timers).toBe(0);
  });

  it("waitUntilDeleted resolves only when absence is proven", async () => {
    const { poller, clock, readyAt, breakWith } = world();
    readyAt.set("a", 0);
    let isDeleted = false;
    const absent = poller.waitUntilDeleted("a", {}).then(() => {
      isDeleted = true;
    });
    await clock.advance(5_000);
    breakWith(failing);
    readyAt.delete("a");
    await clock.advance(10_000);
    expect(isDeleted).toBe(false);
    breakWith(undefined);
    await clock.advance(20_000);
    await absent;
  });

  it("rejects with an error that onPoll throws", async () => {
    const { poller, clock, readyAt } = world();
    readyAt.set("a", 1_000);
    const mistake = new Error("mine");
    const wait = poller.waitForState("a", judge, {
      onPoll: () => {
        throw mistake;
      },
    });
    const caught = wait.catch((error: unknown) => error);
    await clock.advance(5_000);
    expect(await caught).toBe(mistake);
  });
});
