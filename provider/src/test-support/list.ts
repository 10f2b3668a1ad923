import type { ListPromise } from "cloudservices-sdk";

/** Returns a list of one page in the sdk's form. */
export function listOf<T>(items: Promise<T[]>): ListPromise<T> {
  const page = items.then((all) => ({ items: all, hasMore: false, totalCount: all.length, meta: {} }));
  // A test may never await it.
  page.catch(() => undefined);
  const pages = async function* () {
    yield await page;
  };
  // Only the part of a list that the kernel uses.
  return Object.assign(page, { pages, toArray: () => items }) as unknown as ListPromise<T>;
}
