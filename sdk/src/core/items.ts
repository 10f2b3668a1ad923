import { idOf } from "./item-id.js";
import { RecentIds } from "./recent-ids.js";

/**
 * Returns an iterator over the items of all pages, each of them once. It is no generator, which costs more for each
 * item than reading it from the wire.
 */
export function itemsOf<T>(
  pages: AsyncGenerator<{ readonly items: readonly T[] }, void, undefined>,
): AsyncIterator<T, void, undefined> {
  const recent = new RecentIds();
  let items: Iterator<T, unknown, undefined> = [].values();
  let turn: Promise<unknown> | undefined;

  const isNew = (item: T) => {
    const id = idOf(item);
    return id === undefined || recent.isNew(id);
  };
  const turnPage = async (): Promise<IteratorResult<T, void>> => {
    for (;;) {
      const item = items.next();
      if (!item.done) return item;
      const page = await pages.next();
      if (page.done) return { done: true, value: undefined };
      recent.startPage();
      items = page.value.items.filter(isNew).values();
    }
  };
  return {
    next() {
      if (turn === undefined) {
        const item = items.next();
        if (!item.done) return Promise.resolve(item);
      }
      // A call before the last one has resolved gets the item after it.
      const mine = turn === undefined ? turnPage() : turn.then(turnPage);
      const done = () => {
        if (turn === last) turn = undefined;
      };
      const last = mine.then(done, done);
      turn = last;
      return mine;
    },
    async return() {
      await pages.return();
      items = [].values();
      return { done: true, value: undefined };
    },
  };
}
