import { BadRequestError, type ListPromise, ServerError, TimeoutError } from "cloudservices-sdk";
import { expect, it } from "vitest";
import { SharedListings } from "./listings.js";
import { Pages } from "./pages.js";

interface Item {
  readonly id: string;
}

/** A list whose every request waits until the test lets it go on. */
function service() {
  const items: Item[] = [];
  const requests: { limit?: number }[] = [];
  const waiting: (() => void)[] = [];
  const failures: Error[] = [];
  let time = 0;
  const list = (page: { limit?: number }) => {
    requests.push(page);
    const shown = [...items];
    const failure = failures.shift();
    const answer = new Promise<Item[]>((resolve, reject) => {
      waiting.push(() => (failure ? reject(failure) : resolve(shown)));
    });
    // Only the part of a list that the listings use.
    return { toArray: () => answer } as unknown as ListPromise<Item>;
  };
  const turn = async () => {
    for (let round = 0; round < 10; round++) await Promise.resolve();
  };
  const answer = async () => {
    await turn();
    waiting.shift()?.();
    await turn();
  };
  const listings = new SharedListings<Item>(new Pages(list), { now: () => time });
  const has = (id: string) => listings.search((all) => all.find((item) => item.id === id)?.id);
  return { items, requests, failures, answer, turn, has, pass: (by: number) => (time += by) };
}

it("a hundred concurrent searches share one listing", async () => {
  const { items, requests, answer, turn, has } = service();
  for (let number = 0; number < 100; number++) items.push({ id: `i${number}` });
  const early = items.slice(0, 50).map(({ id }) => has(id));
  await turn();
  const late = items.slice(50).map(({ id }) => has(id));
  await answer();
  expect(await Promise.all([...early, ...late])).toEqual(items.map(({ id }) => id));
  expect(requests).toEqual([{ limit: 100 }]);
});

it("a listing that began before the search does not prove absence", async () => {
  const { items, requests, answer, turn, has } = service();
  const first = has("a");
  await turn();
  items.push({ id: "a" });
  const second = has("a");
  const third = has("b");
  await answer();
  expect(await first).toBeUndefined();
  await answer();
  expect(await second).toBe("a");
  expect(await third).toBeUndefined();
  expect(requests).toHaveLength(2);
});

it("a complete listing is fresh for a minute", async () => {
  const { items, requests, answer, has, pass } = service();
  items.push({ id: "a" });
  const first = has("a");
  await answer();
  expect(await first).toBe("a");
  pass(59_000);
  expect(await has("a")).toBe("a");
  expect(requests).toHaveLength(1);
  pass(1_000);
  const later = has("a");
  await answer();
  expect(await later).toBe("a");
  expect(requests).toHaveLength(2);
});

it("a failed listing fails the searches that began before it, and the others share another one", async () => {
  const { items, requests, failures, answer, turn, has } = service();
  failures.push(new ServerError({ message: "broken", outcome: "rejected" }));
  items.push({ id: "a" });
  const first = has("a").catch((error: unknown) => error);
  await turn();
  const others = [has("a"), has("a")];
  await answer();
  expect(await first).toBeInstanceOf(ServerError);
  await answer();
  expect(await Promise.all(others)).toEqual(["a", "a"]);
  expect(requests).toHaveLength(2);
});

it("the deadline of the search that began a listing does not fail the others", async () => {
  const { items, requests, failures, answer, has } = service();
  failures.push(new TimeoutError({ message: "too late", outcome: "ambiguous" }));
  items.push({ id: "a" });
  const first = has("a").catch((error: unknown) => error);
  const others = [has("a"), has("a")];
  await answer();
  expect(await first).toBeInstanceOf(TimeoutError);
  await answer();
  expect(await Promise.all(others)).toEqual(["a", "a"]);
  expect(requests).toHaveLength(2);
});

it("a service that rejects our `limit` is listed without one from then on", async () => {
  const { items, requests, failures, answer, has } = service();
  failures.push(new BadRequestError({ message: "limit is at most 50", outcome: "rejected", field: "limit" }));
  items.push({ id: "a" });
  const first = has("a");
  await answer();
  await answer();
  expect(await first).toBe("a");
  const second = has("b");
  await answer();
  expect(await second).toBeUndefined();
  expect(requests).toEqual([{ limit: 100 }, {}, {}]);
});

it("a service that also rejects the listing without a limit gets no third request", async () => {
  const { requests, failures, answer, has } = service();
  const refusal = () => new BadRequestError({ message: "no", outcome: "rejected" });
  failures.push(refusal(), refusal());
  const asked = has("a").catch((error: unknown) => error);
  await answer();
  await answer();
  expect(await asked).toBeInstanceOf(BadRequestError);
  expect(requests).toHaveLength(2);
});
