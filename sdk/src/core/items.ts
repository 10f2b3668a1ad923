import { idOf } from "./item-id.js";

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

  const turnPage = async (): Promise<IteratorResult<T, void>> => {
    for (;;) {
      const item = items.next();
      if (!item.done) return item;
      const page = await pages.next();
      if (page.done) return { done: true, value: undefined };
      items = recent.unseen(page.value.items).values();
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

/**
 * The number of pages, at least, in which repeated items are recognised. Remembering every id would cost as much memory
 * and time as the rest of reading a long list.
 */
const PAGES_REMEMBERED = 4;

/** The ids of the last pages. Two sets take turns, because deleting single ids costs as much as adding them. */
class RecentIds {
  #older = new Set<string>();
  #newer = new Set<string>();
  #pages = 0;

  /** Returns the items that none of the last pages had, and remembers them. */
  unseen<T>(items: readonly T[]): T[] {
    if (this.#pages % PAGES_REMEMBERED === 0) {
      this.#older = this.#newer;
      this.#newer = new Set();
    }
    this.#pages += 1;
    return items.filter((item) => {
      const id = idOf(item);
      return id === undefined || this.#isNew(id);
    });
  }

  #isNew(id: string): boolean {
    const before = this.#newer.size;
    return !this.#older.has(id) && this.#newer.add(id).size > before;
  }
}
