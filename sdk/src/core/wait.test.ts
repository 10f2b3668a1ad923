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
import { listed } from "./pages.js";
import { Waits } from "./wait.js";
import type { Judgement } from "./waiting.js";

interface Thing {
  readonly id: string;
  readonly status?: string;
  readonly statusReason?: string;
  readonly address?: string;
}

const notFound = () => new NotFoundError({ message: "404", outcome: "rejected", status: 404 });
const failing = () => new ServerError({ message: "500 again", outcome: "ambiguous", status: 500 });

const judge = ({ status, address }: Thing): Judgement => {
  if (status === undefined) return "incomplete";
  if (status === "failed") return "failed";
  if (status !== "ready") return "pending";
  return address === undefined ? "incomplete" : "settled";
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
  const waits = new Waits<Thing>(
    {
      noun: "thing",
      path: (id) => `/things/${id}`,
      deletion: (id) => `await client.things.delete("${id}")`,
      get: async (id) => {
        requests.push(id);
        if (trouble !== undefined) throw trouble();
        return look(id);
      },
      list: () =>
        listed(
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
          { method: "GET", path: "/things" },
        ),
    },
    { clock, random: () => 0.5, pollInterval: 1_000 },
  );
  return {
    clock,
    waits,
    readyAt,
    requests,
    breakWith: (error: (() => Error) | undefined) => {
      trouble = error;
    },
  };
}

describe("a wait", () => {
  it("ends when the resource has settled, and asks less and less often", async () => {
    const { waits, clock, readyAt, requests } = world();
    readyAt.set("a", 60_000);
    const looks: number[] = [];
    const ready = waits.untilState("a", judge, { onPoll: ({ elapsed }) => looks.push(elapsed) });
    await clock.advance(80_000);
    expect(await ready).toEqual({ id: "a", status: "ready", address: "a" });
    expect(looks.slice(0, 5)).toEqual([0, 1_000, 2_500, 4_750, 8_125]);
    expect(requests.length).toBeLessThan(13);
    expect(clock.timers).toBe(0);
  });

  it("tells of each look what it found", async () => {
    const { waits, clock, readyAt, breakWith } = world();
    readyAt.set("a", 3_000);
    const told: unknown[] = [];
    breakWith(failing);
    const ready = waits.untilState("a", judge, {
      onPoll: ({ attempt, status, error }) => told.push([attempt, status, error?.code]),
    });
    await clock.advance(500);
    breakWith(undefined);
    await clock.advance(10_000);
    await ready;
    expect(told).toEqual([
      [1, undefined, "SERVER_ERROR"],
      [2, "provisioning", undefined],
      [3, "provisioning", undefined],
      [4, "ready", undefined],
    ]);
  });

  it("survives looks that fail, and at its deadline quotes the last of them and the last status", async () => {
    const { waits, clock, readyAt, breakWith } = world();
    readyAt.set("a", 1_000_000);
    const late = errorOf(waits.untilState("a", judge, { timeout: 20_000 }), WaitTimeoutError);
    await clock.advance(3_000);
    breakWith(failing);
    await clock.advance(20_000);
    const error = await late;
    expect(error.message).toMatch(/not settled after 20000 ms.*provisioning.*500 again/);
    expect(error).toMatchObject({ lastStatus: "provisioning", lastSeen: { id: "a" }, code: "WAIT_TIMEOUT" });
    expect(clock.timers).toBe(0);
  });

  it("ends at once on a failed state, with the service's reason", async () => {
    const { clock } = world();
    const waits = new Waits<Thing>(
      {
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
    const error = errorOf(waits.untilState("a", judge, {}), FailedStateError);
    await clock.advance(1);
    expect(await error).toMatchObject({
      message: "thing a is failed: no capacity.",
      resourceStatus: "failed",
      reason: "no capacity",
      fixes: ['await client.things.delete("a")'],
    });
  });

  it("ends at once where another look would not help", async () => {
    const { waits, clock, breakWith } = world();
    breakWith(() => new AuthenticationError({ message: "401", outcome: "rejected", status: 401 }));
    const error = errorOf(waits.untilState("a", judge, {}), AuthenticationError);
    await clock.advance(1);
    await error;
  });

  it("has patience with a resource that the service does not find yet", async () => {
    const { waits, clock, readyAt } = world();
    const ready = waits.untilState("a", judge, {});
    await clock.advance(5_000);
    readyAt.set("a", 0);
    await clock.advance(10_000);
    expect(await ready).toMatchObject({ status: "ready" });
  });

  it("ends when a resource that was there is gone, or one never comes", async () => {
    const { waits, clock, readyAt } = world();
    readyAt.set("a", 1_000_000);
    const gone = errorOf(waits.untilState("a", judge, {}), NotFoundError);
    const never = errorOf(waits.untilState("b", judge, {}), NotFoundError);
    await clock.advance(2_000);
    readyAt.delete("a");
    await clock.advance(3_000);
    await gone;
    await clock.advance(30_000);
    await never;
  });

  it("ends when the caller gives up, before or meanwhile", async () => {
    const { waits, clock, readyAt } = world();
    readyAt.set("a", 1_000_000);
    const caller = new AbortController();
    const meanwhile = errorOf(waits.untilState("a", judge, { signal: caller.signal }), AbortError);
    await clock.advance(5_000);
    caller.abort("enough");
    expect(await meanwhile).toMatchObject({ cause: "enough" });
    await errorOf(waits.untilState("a", judge, { signal: caller.signal }), AbortError);
    expect(clock.timers).toBe(0);
  });

  it("for absence ends when it is proven, and not before", async () => {
    const { waits, clock, readyAt, breakWith } = world();
    readyAt.set("a", 0);
    let gone = false;
    const absent = waits.untilAbsent("a", {}).then(() => {
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
    const { waits, clock, readyAt } = world();
    readyAt.set("a", 1_000);
    const mistake = new Error("mine");
    const wait = waits.untilState("a", judge, {
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
    const { waits, clock, readyAt, requests } = world();
    const ids = Array.from({ length: 100 }, (_, at) => `t${at}`);
    for (const id of ids) readyAt.set(id, 30_000);
    const all = Promise.all(ids.map((id) => waits.untilState(id, judge, {})));
    await clock.advance(60_000);
    expect(await all).toHaveLength(100);
    expect(new Set(requests)).toEqual(new Set(["list"]));
    expect(requests.length).toBeLessThan(12);
  });

  it("that began at different times come together", async () => {
    const { waits, clock, readyAt, requests } = world();
    const all: Promise<Thing>[] = [];
    for (let at = 0; at < 20; at += 1) {
      readyAt.set(`t${at}`, 60_000);
      all.push(waits.untilState(`t${at}`, judge, {}));
      await clock.advance(100);
    }
    await clock.advance(90_000);
    expect(await Promise.all(all)).toHaveLength(20);
    expect(requests.length).toBeLessThan(60);
  });

  it("get in full what the list leaves out", async () => {
    const { waits, clock, readyAt, requests } = world({ list: "without addresses" });
    for (const id of ["a", "b", "c"]) readyAt.set(id, 5_000);
    const all = Promise.all(["a", "b", "c"].map((id) => waits.untilState(id, judge, {})));
    await clock.advance(20_000);
    expect(await all).toContainEqual({ id: "a", status: "ready", address: "a" });
    expect(requests.filter((request) => request !== "list")).toEqual(["a", "b", "c"]);
  });

  it("ask for each where there is no list, and for the list only once", async () => {
    const { waits, clock, readyAt, requests } = world({ list: "missing" });
    for (const id of ["a", "b", "c"]) readyAt.set(id, 2_000);
    const all = Promise.all(["a", "b", "c"].map((id) => waits.untilState(id, judge, {})));
    await clock.advance(20_000);
    expect(await all).toHaveLength(3);
    expect(requests.filter((request) => request === "list")).toHaveLength(1);
  });

  it("do not ask again for a list that tells no status", async () => {
    const { waits, clock, readyAt, requests } = world({ list: "ids only" });
    for (const id of ["a", "b", "c"]) readyAt.set(id, 5_000);
    const all = Promise.all(["a", "b", "c"].map((id) => waits.untilState(id, judge, {})));
    await clock.advance(20_000);
    expect(await all).toHaveLength(3);
    expect(requests.filter((request) => request === "list")).toHaveLength(1);
  });

  it("do not storm a service that fails: one list fails for all of them, and only for a while", async () => {
    const { waits, clock, readyAt, requests, breakWith } = world();
    const ids = Array.from({ length: 50 }, (_, at) => `t${at}`);
    for (const id of ids) readyAt.set(id, 3_000);
    breakWith(failing);
    const all = Promise.all(ids.map((id) => waits.untilState(id, judge, {})));
    await clock.advance(1_500);
    expect(requests).toEqual(["list", "list"]);
    breakWith(undefined);
    await clock.advance(20_000);
    expect(await all).toHaveLength(50);
  });

  it("each keep their own time", async () => {
    const { waits, clock, readyAt } = world();
    for (const id of ["a", "b", "c"]) readyAt.set(id, 10_000);
    const impatient = errorOf(waits.untilState("a", judge, { timeout: 2_000 }), WaitTimeoutError);
    const patient = Promise.all(["b", "c"].map((id) => waits.untilState(id, judge, {})));
    await clock.advance(2_000);
    await impatient;
    await clock.advance(20_000);
    expect(await patient).toHaveLength(2);
  });
});
