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
    expect(requests.length).toBeLessThan(12);
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
