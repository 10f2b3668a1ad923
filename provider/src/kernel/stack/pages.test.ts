import { BadRequestError, type ListPromise, type Page } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { Pages } from "./pages.js";

/** A list of two pages whose second one the service rejects while a limit is set. */
function rejecting() {
  const requests: string[] = [];
  const list = ({ limit }: { limit?: number }) => {
    const pages = async function* (): AsyncGenerator<Page<string>, void> {
      requests.push(`1 ${limit}`);
      yield { items: ["a"], hasMore: true, meta: {} };
      requests.push(`2 ${limit}`);
      if (limit !== undefined) throw new BadRequestError({ message: "limit", outcome: "rejected" });
      yield { items: ["b"], hasMore: false, meta: {} };
    };
    const toArray = async () => {
      const items: string[] = [];
      for await (const page of pages()) items.push(...page.items);
      return items;
    };
    // Only the part of a list that is used here.
    return { pages, toArray } as unknown as ListPromise<string>;
  };
  return { requests, pages: new Pages(list) };
}

describe("a list whose later page rejects the limit", () => {
  it("starts again without the limit, and returns each item once", async () => {
    const { requests, pages } = rejecting();
    expect(await pages.all()).toEqual(["a", "b"]);
    expect(requests).toEqual(["1 100", "2 100", "1 undefined", "2 undefined"]);
  });

  it("starts again page by page, and omits the limit from then on", async () => {
    const { requests, pages } = rejecting();
    const walked: string[] = [];
    for await (const page of pages.walk()) walked.push(...page.items);
    expect(walked).toEqual(["a", "a", "b"]);
    requests.length = 0;
    await pages.all();
    expect(requests).toEqual(["1 undefined", "2 undefined"]);
  });
});
