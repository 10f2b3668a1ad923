import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { FakeClock } from "../testing/fake-clock.js";
import {
  AbortError,
  AuthenticationError,
  FailedStateError,
  NotFoundError,
  RouteMissingError,
  ServerError,
  WaitTimeoutError,
} from "./errors.js";
import { listPromise } from "./pages.js";
import type { Readiness } from "./poll-target.js";
import { Poller } from "./poller.js";
import { BACKGROUND_WORK } from "./shared-poller.js";

interface Thing {
  readonly id: string;
  readonly status?: string;
  readonly statusReason?: string;
  readonly address?: string;
}

const notFound = () => new NotFoundError({ message: "404", outcome: "rejected", status: 404 });
const failing = () => new ServerError({ message: "500 again", outcome: "ambiguous", status: 500 });

const judge = ({ status, address }: Thing): Readiness => {
  if (status === undefined) return "incomplete";
  if (status === "failed") return "failed";
  if (status !== "ready") return "pending";
  return address === undefined ? "incomplete" : "ready";
};

/** Things that get ready at their time; a list may leave out their addresses, or not be there. */
function world({ list = "full" }: { list?: "full" | "without addresses" | "ids only" | "missing" } = {}) {
  const clock = new FakeClock();
  const readyAt = new Map<string, number>();
  const requests: string[] = [];
  let trouble: (() => Error) | undefined;
  const look = (id: string): Thing => {
    const at = readyAt.get(id);
    if (at === undefined) throw notFound();
    return clock.now() >= at ? { id, status: "ready", address: "a" } : { id, status: "provisioning" };
  };
  const poller = new Poller<Thing>(
    {
      ...BACKGROUND_WORK,
      noun: "thing",
      path: (id) => `/things/${id}`,
      deletion: (id) => `await client.things.delete("${id}")`,
      get: async (id) => {
        requests.push(id);
        if (trouble !== undefined) throw trouble();
        return look(id);
      },
      list: () =>
        listPromise(
          async () => {
            requests.push("list");
            if (trouble !== undefined) throw trouble();
            if (list === "missing")
              throw new RouteMissingError({ message: "404", outcome: "rejected", status: 404 });
            const items = [...readyAt.keys()].map(look);
            const shown = items.map(({ id, ...rest }): Thing => {
              if (list === "full") return { id, ...rest };
              return list === "ids only" || rest.status === undefined ? { id } : { id, status: rest.status };
            });
            return { items: shown, paging: { has_more: false }, meta: {}, status: 200, headers: {} };
          },
          { call: "things.list", method: "GET", path: "/things" },
        ),
    },
    { clock, random: () => 0.5, pollInterval: 1_000 },
  );
  return {
    clock,
    poller,
    readyAt,
    requests,
    breakWith: (error: (() => Error) | undefined) => {
      trouble = error;
    },
  };
}

describe("a wait", () => {
  it("ends when the resource is ready, and asks less and less often", async () => {
    const { poller, clock, readyAt, requests } = world();
    readyAt.set("a", 60_000);
    const looks: number[] = [];
    const ready = poller.waitForState("a", judge, { onPoll: ({ elapsed }) => looks.push(elapsed) });
    await clock.advance(80_000);
    expect(await ready).toEqual({ id: "a", status: "ready", address: "a" });
    expect(looks.slice(0, 5)).toEqual([0, 1_000, 2_500, 4_750, 8_125]);
    expect(requests.length).toBeLessThan(13);
    expect(clock.timers).toBe(0);
  });

  it("tells of each look what it found", async () => {
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

  it("survives looks that fail, and at its deadline quotes the last of them and the last status", async () => {
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

  it("ends at once on a failed state, with the service's reason", async () => {
    const { clock } = world();
    const poller = new Poller<Thing>(
      {
        ...BACKGROUND_WORK,
        noun: "thing",
        path: (id) => `/things/${id}`,
        deletion: (id) => `await client.things.delete("${id}")`,
        get: async (id) => ({ id, status: "failed", statusReason: "no capacity" }),
        list: () => {
          throw new Error("not asked for");
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

  it("ends at once where another look would not help", async () => {
    const { poller, clock, breakWith } = world();
    breakWith(() => new AuthenticationError({ message: "401", outcome: "rejected", status: 401 }));
    const error = errorOf(poller.waitForState("a", judge, {}), AuthenticationError);
    await clock.advance(1);
    await error;
  });

  it("has patience with a resource that the service does not find yet", async () => {
    const { poller, clock, readyAt } = world();
    const ready = poller.waitForState("a", judge, {});
    await clock.advance(5_000);
    readyAt.set("a", 0);
    await clock.advance(10_000);
    expect(await ready).toMatchObject({ status: "ready" });
  });

  it("ends when a resource that was there is gone, or one never comes", async () => {
    const { poller, clock, readyAt } = world();
    readyAt.set("a", 1_000_000);
    const gone = errorOf(poller.waitForState("a", judge, {}), NotFoundError);
    const never = errorOf(poller.waitForState("b", judge, {}), NotFoundError);
    await clock.advance(2_000);
    readyAt.delete("a");
    await clock.advance(3_000);
    await gone;
    await clock.advance(30_000);
    await never;
  });

  it("ends when the caller gives up, before or meanwhile", async () => {
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

  it("for absence ends when it is proven, and not before", async () => {
    const { poller, clock, readyAt, breakWith } = world();
    readyAt.set("a", 0);
    let gone = false;
    const absent = poller.waitUntilDeleted("a", {}).then(() => {
      gone = true;
    });
    await clock.advance(5_000);
    breakWith(failing);
    readyAt.delete("a");
    await clock.advance(10_000);
    expect(gone).toBe(false);
    breakWith(undefined);
    await clock.advance(20_000);
    await absent;
  });

  it("tells the caller's own mistake in onPoll to the caller", async () => {
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

describe("many waits at a time", () => {
  it("share one list for all, instead of a request for each", async () => {
    const { poller, clock, readyAt, requests } = world();
    const ids = Array.from({ length: 100 }, (_, at) => `t${at}`);
    for (const id of ids) readyAt.set(id, 30_000);
    const all = Promise.all(ids.map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(60_000);
    expect(await all).toHaveLength(100);
    expect(new Set(requests)).toEqual(new Set(["list"]));
    expect(requests.length).toBeLessThan(12);
  });

  it("that began at different times come together", async () => {
    const { poller, clock, readyAt, requests } = world();
    const all: Promise<Thing>[] = [];
    for (let at = 0; at < 20; at += 1) {
      readyAt.set(`t${at}`, 60_000);
      all.push(poller.waitForState(`t${at}`, judge, {}));
      await clock.advance(100);
    }
    await clock.advance(90_000);
    expect(await Promise.all(all)).toHaveLength(20);
    expect(requests.length).toBeLessThan(60);
  });

  it("get in full what the list leaves out", async () => {
    const { poller, clock, readyAt, requests } = world({ list: "without addresses" });
    for (const id of ["a", "b", "c"]) readyAt.set(id, 5_000);
    const all = Promise.all(["a", "b", "c"].map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(20_000);
    expect(await all).toContainEqual({ id: "a", status: "ready", address: "a" });
    expect(requests.filter((request) => request !== "list")).toEqual(["a", "b", "c"]);
  });

  it("ask for each where there is no list, and for the list only once", async () => {
    const { poller, clock, readyAt, requests } = world({ list: "missing" });
    for (const id of ["a", "b", "c"]) readyAt.set(id, 2_000);
    const all = Promise.all(["a", "b", "c"].map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(20_000);
    expect(await all).toHaveLength(3);
    expect(requests.filter((request) => request === "list")).toHaveLength(1);
  });

  it("do not ask again for a list that tells no status", async () => {
    const { poller, clock, readyAt, requests } = world({ list: "ids only" });
    for (const id of ["a", "b", "c"]) readyAt.set(id, 5_000);
    const all = Promise.all(["a", "b", "c"].map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(20_000);
    expect(await all).toHaveLength(3);
    expect(requests.filter((request) => request === "list")).toHaveLength(1);
  });

  it("do not storm a service that fails: one list fails for all of them, and only for a while", async () => {
    const { poller, clock, readyAt, requests, breakWith } = world();
    const ids = Array.from({ length: 50 }, (_, at) => `t${at}`);
    for (const id of ids) readyAt.set(id, 3_000);
    breakWith(failing);
    const all = Promise.all(ids.map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(1_500);
    expect(requests).toEqual(["list", "list"]);
    breakWith(undefined);
    await clock.advance(20_000);
    expect(await all).toHaveLength(50);
  });

  it("each keep their own time", async () => {
    const { poller, clock, readyAt } = world();
    for (const id of ["a", "b", "c"]) readyAt.set(id, 10_000);
    const impatient = errorOf(poller.waitForState("a", judge, { timeout: 2_000 }), WaitTimeoutError);
    const patient = Promise.all(["b", "c"].map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(2_000);
    await impatient;
    await clock.advance(20_000);
    expect(await patient).toHaveLength(2);
  });
});
