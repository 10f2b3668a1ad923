import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { AbortError, NotFoundError, ServerError, WaitTimeoutError } from "../core/errors.js";
import { Poller } from "../core/poller.js";
import { FakeClock } from "../testing/fake-clock.js";
import type { MessageSummary } from "./mail.js";
import { inboxTarget, newMessage, type WaitForMessageOptions } from "./new-message.js";

function inbox() {
  const clock = new FakeClock();
  const messages: MessageSummary[] = [];
  let trouble: Error | undefined;
  const receive = (id: string, changes: Partial<MessageSummary> = {}) =>
    void messages.unshift({
      id,
      sender: "Shop <no-reply@shop.example>",
      subject: "Your code",
      snippet: "",
      hasAttachments: false,
      receivedAt: new Date(clock.wall()).toISOString(),
      ...changes,
    });
  const list = async () => {
    if (trouble !== undefined) throw trouble;
    return [...messages];
  };
  const poller = new Poller(inboxTarget(list), { clock, random: () => 0.5, pollInterval: 1_000 });
  const wait = (options: WaitForMessageOptions = {}) => newMessage(poller, "inbox_1", options);
  return {
    clock,
    receive,
    wait,
    messages,
    breakWith: (error: Error | undefined) => {
      trouble = error;
    },
  };
}

describe("waiting for a message", () => {
  it("returns a new message and never an old one", async () => {
    const { clock, receive, wait } = inbox();
    receive("old");
    const found = wait();
    await clock.advance(5_000);
    receive("new");
    await clock.advance(5_000);
    expect(await found).toMatchObject({ id: "new" });
  });

  it("returns a message that arrived after the cursor and before the wait", async () => {
    const { clock, receive, wait } = inbox();
    receive("old");
    const since = { inboxId: "inbox_1", seen: ["old"] };
    receive("new");
    const found = wait({ since });
    await clock.advance(1);
    expect(await found).toMatchObject({ id: "new" });
  });

  it("returns a message received after a given time, and none without a time", async () => {
    const { clock, receive, wait } = inbox();
    receive("old");
    await clock.advance(10_000);
    const since = new Date(clock.wall());
    receive("without a time", { receivedAt: "" });
    const found = wait({ since });
    await clock.advance(5_000);
    receive("new");
    await clock.advance(5_000);
    expect(await found).toMatchObject({ id: "new" });
    const again = wait({ since: since.toISOString() });
    await clock.advance(0);
    expect(await again).toMatchObject({ id: "new" });
  });

  it("returns the newest of several messages", async () => {
    const { clock, receive, wait } = inbox();
    const found = wait();
    await clock.advance(100);
    receive("first");
    await clock.advance(10);
    receive("second");
    await clock.advance(5_000);
    expect(await found).toMatchObject({ id: "second" });
  });

  it.each<[WaitForMessageOptions, boolean]>([
    [{ from: "SHOP.example" }, true],
    [{ from: "other.example" }, false],
    [{ subject: /code/gi }, true],
    [{ subject: "invoice" }, false],
    [{ from: /no-reply/, subject: "code" }, true],
    [{ from: /no-reply/, subject: "invoice" }, false],
  ])("matches %o: %s", async (criteria, fits) => {
    const { clock, receive, wait } = inbox();
    const found = wait({ ...criteria, timeout: 20_000 }).then(
      () => true,
      (error: unknown) => {
        expect(error).toBeInstanceOf(WaitTimeoutError);
        expect(String(error)).toContain("has no match among 2 new message(s)");
        return false;
      },
    );
    await clock.advance(100);
    receive("a");
    receive("b");
    await clock.advance(30_000);
    expect(await found).toBe(fits);
  });

  it("fails at its timeout and leaves no timer behind", async () => {
    const { clock, wait } = inbox();
    const error = errorOf(wait({ timeout: 10_000 }), WaitTimeoutError);
    await clock.advance(10_000);
    expect((await error).message).toContain("has no new message after 10000 ms");
    expect(clock.timers).toBe(0);
  });

  it("survives failed polls, and counts what the first successful poll finds as old", async () => {
    const { clock, receive, wait, breakWith } = inbox();
    receive("old");
    breakWith(new ServerError({ message: "500", outcome: "ambiguous", status: 500 }));
    const found = wait();
    await clock.advance(3_000);
    breakWith(undefined);
    await clock.advance(3_000);
    receive("new");
    await clock.advance(5_000);
    expect(await found).toMatchObject({ id: "new" });
  });

  it("fails at once when the inbox does not exist or the caller aborts", async () => {
    const { clock, wait, breakWith } = inbox();
    const caller = new AbortController();
    const aborted = errorOf(wait({ signal: caller.signal }), AbortError);
    await clock.advance(500);
    caller.abort();
    await aborted;
    breakWith(new NotFoundError({ message: "404", outcome: "rejected", status: 404 }));
    const notFound = errorOf(wait(), NotFoundError);
    await clock.advance(0);
    await notFound;
  });
});
