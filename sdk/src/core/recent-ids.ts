/**
 * The number of pages, at least, in which repeated ids are recognised. Remembering every id would cost as much memory
 * and time as the rest of reading a long list.
 */
const PAGES_REMEMBERED = 4;

/** Recognises the ids that one of the last pages had. */
export class RecentIds {
  // Two generations take turns, because deleting single ids costs as much as adding them.
  #older = new Ids();
  #newer = new Ids();
  #pages = 0;
  readonly #order = new StrictOrder();

  startPage(): void {
    if (this.#pages % PAGES_REMEMBERED === 0) {
      this.#older = this.#newer;
      this.#newer = new Ids();
    }
    this.#pages += 1;
  }

  /** Returns whether none of the last pages had the id, and remembers it. */
  isNew(id: string): boolean {
    if (!this.#order.continuesWith(id) && (this.#older.has(id) || this.#newer.has(id))) return false;
    this.#newer.add(id);
    return true;
  }
}

/** A set that is not hashed before the first lookup. */
class Ids {
  readonly #added: string[] = [];
  #set: Set<string> | undefined;

  add(id: string): void {
    if (this.#set === undefined) this.#added.push(id);
    else this.#set.add(id);
  }

  has(id: string): boolean {
    this.#set ??= new Set(this.#added);
    return this.#set.has(id);
  }
}

/**
 * Whether all ids so far strictly ascend or strictly descend, as in many lists. An id that continues the order is new,
 * and comparing it with the last one is several times faster than looking it up.
 */
class StrictOrder {
  #last: string | undefined;
  #isAscending: boolean | undefined;
  #holds = true;

  continuesWith(id: string): boolean {
    if (!this.#holds) return false;
    const last = this.#last;
    if (last !== undefined) {
      this.#isAscending ??= last < id;
      this.#holds = this.#isAscending ? last < id : id < last;
    }
    this.#last = id;
    return this.#holds;
  }
}
