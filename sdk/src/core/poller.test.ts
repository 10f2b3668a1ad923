import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { failing, judge, type Thing, world } from "../testing/things.js";
import { WaitTimeoutError } from "./errors.js";

describe("concurrent waits", () => {
  it("share one list instead of a request each", async () => {
    const { poller, clock, readyAt, requests } = world();
    const ids = Array.from({ length: 100 }, (_, at) => `t${at}`);
    for (const id of ids) readyAt.set(id, 30_000);
    const all = Promise.all(ids.map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(60_000);
    expect(await all).toHaveLength(100);
    expect(new Set(requests)).toEqual(new Set(["list"]));
    expect(requests.length).toBeLessThan(33);
  });

  it("send one list a tick, however many join, and none late", async () => {
    const { poller, clock, readyAt, requests } = world();
    const noticed: Promise<number>[] = [];
    for (let at = 0; at < 100; at += 1) {
      const readyTime = clock.now() + 5_000;
      readyAt.set(`t${at}`, readyTime);
      const ready = poller.waitForState(`t${at}`, judge, {});
      noticed.push(ready.then(() => clock.now() - readyTime));
      await clock.advance(20);
    }
    await clock.advance(10_000);
    expect(Math.max(...(await Promise.all(noticed)))).toBeLessThanOrEqual(1_000);
    const lists = requests.filter((request) => request === "list");
    expect(lists.length).toBeLessThanOrEqual(9);
    expect(requests.length - lists.length).toBeLessThanOrEqual(2);
  });

  it("read what a list lacks only when it is due", async () => {
    const { poller, clock, readyAt, requests } = world();
    for (const id of ["a", "b", "c"]) readyAt.set(id, 20_000);
    const all = Promise.all([
      poller.waitForState("late", judge, { interval: 60_000, timeout: 300_000 }).catch(() => "not found"),
      ...["a", "b", "c"].map((id) => poller.waitForState(id, judge, {})),
    ]);
    await clock.advance(25_000);
    expect(requests.filter((request) => request === "late")).toHaveLength(1);
    await clock.advance(300_000);
    expect(await all).toContain("not found");
  });

  it("poll at least once within a short timeout", async () => {
    const { poller, clock, readyAt } = world();
    for (const id of ["a", "b", "c", "d"]) readyAt.set(id, id === "d" ? 0 : 5_000);
    const others = ["a", "b", "c"].map((id) => poller.waitForState(id, judge, {}));
    await clock.advance(10);
    const short = poller.waitForState("d", judge, { timeout: 200 });
    await clock.advance(10_000);
    expect(await short).toMatchObject({ id: "d", status: "ready" });
    await Promise.all(others);
  });

  it("that start at different times share requests", async () => {
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

  it("poll individually what the list leaves out", async () => {
    const { poller, clock, readyAt, requests } = world({ list: "without addresses" });
    for (const id of ["a", "b", "c"]) readyAt.set(id, 5_000);
    const all = Promise.all(["a", "b", "c"].map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(20_000);
    expect(await all).toContainEqual({ id: "a", status: "ready", address: "a" });
    expect(requests.filter((request) => request !== "list")).toEqual(["a", "b", "c"]);
  });

  it("poll individually when the list is missing, after trying it once", async () => {
    const { poller, clock, readyAt, requests } = world({ list: "missing" });
    for (const id of ["a", "b", "c"]) readyAt.set(id, 2_000);
    const all = Promise.all(["a", "b", "c"].map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(20_000);
    expect(await all).toHaveLength(3);
    expect(requests.filter((request) => request === "list")).toHaveLength(1);
  });

  it("stop using a list without statuses", async () => {
    const { poller, clock, readyAt, requests } = world({ list: "ids only" });
    for (const id of ["a", "b", "c"]) readyAt.set(id, 5_000);
    const all = Promise.all(["a", "b", "c"].map((id) => poller.waitForState(id, judge, {})));
    await clock.advance(20_000);
    expect(await all).toHaveLength(3);
    expect(requests.filter((request) => request === "list")).toHaveLength(1);
  });

  it("share a failed list, and stop using it after a few failures", async () => {
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

  it("keep their own timeouts", async () => {
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
