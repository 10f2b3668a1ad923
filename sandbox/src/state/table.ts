interface Row {
  readonly id: string;
  readonly tenant: string;
  readonly seq: number;
}

type Key<R> = (row: R) => string | undefined;

interface Partition<R> {
  readonly rows: Map<string, R>;
  /** Ascending by seq. May hold deleted rows, which are skipped and removed in bulk. */
  order: Array<{ readonly seq: number; readonly id: string }>;
  next: number;
}

/**
 * Rows of one kind, by id, by tenant in order, and by indexes. Creating, reading and paging take the same time at any
 * size.
 */
export class Table<R extends Row, I extends string = string> {
  readonly #rows = new Map<string, R>();
  readonly #partitions = new Map<string, Partition<R>>();
  readonly #indexes: ReadonlyArray<{ name: I; key: Key<R>; ids: Map<string, Set<string>> }>;
  readonly #keys: Readonly<Record<I, Key<R>>>;

  constructor(keys: Readonly<Record<I, Key<R>>>) {
    this.#keys = keys;
    const names = Object.keys(keys).filter((name): name is I => name in keys);
    this.#indexes = names.map((name) => ({ name, key: keys[name], ids: new Map() }));
  }

  get(id: string): R | undefined {
    return this.#rows.get(id);
  }

  /** Returns the row if it belongs to the tenant. */
  owned(tenant: string, id: string): R | undefined {
    const row = this.#rows.get(id);
    return row?.tenant === tenant ? row : undefined;
  }

  /** Returns all rows with this key, in linear time. */
  find(index: I, key: string): R[] {
    return [...this.#idsOf(index, key)].flatMap((id) => this.#rows.get(id) ?? []);
  }

  /** Returns one row with this key in constant time; for immutable rows, the oldest. */
  some(index: I, key: string): R | undefined {
    const [id] = this.#idsOf(index, key);
    return id === undefined ? undefined : this.#rows.get(id);
  }

  /** Returns how many rows have this key. */
  countOf(index: I, key: string): number {
    return this.#indexes.find((candidate) => candidate.name === index)?.ids.get(key)?.size ?? 0;
  }

  all(): IterableIterator<R> {
    return this.#rows.values();
  }

  count(tenant: string): number {
    return this.#partitions.get(tenant)?.rows.size ?? 0;
  }

  nextSeq(tenant: string): number {
    return this.#partitions.get(tenant)?.next ?? 1;
  }

  /** Returns up to `limit` rows of the tenant with a seq above `after`, oldest first. */
  page(tenant: string, after: number, limit: number): { rows: R[]; hasMore: boolean } {
    const partition = this.#partitions.get(tenant);
    const rows: R[] = [];
    if (!partition) return { rows, hasMore: false };
    for (let at = firstAbove(partition.order, after); at < partition.order.length; at++) {
      const row = partition.rows.get(partition.order[at]?.id ?? "");
      if (!row) continue;
      if (rows.length === limit) return { rows, hasMore: true };
      rows.push(row);
    }
    return { rows, hasMore: false };
  }

  /** Adds, replaces or, with `undefined`, removes a row. */
  set(id: string, row: R | undefined): void {
    const before = this.#rows.get(id);
    if (before) this.#unindex(before);
    if (row) this.#insert(row, before === undefined);
    else if (before) this.#remove(before);
  }

  /** Returns a copy with one tenant's rows. Rows are immutable, so they are shared. */
  only(tenant: string): Table<R, I> {
    const copy = new Table<R, I>(this.#keys);
    for (const row of this.page(tenant, -1, Number.POSITIVE_INFINITY).rows) copy.set(row.id, row);
    return copy;
  }

  #idsOf(index: I, key: string): Iterable<string> {
    return this.#indexes.find((candidate) => candidate.name === index)?.ids.get(key) ?? [];
  }

  #insert(row: R, isNew: boolean): void {
    const partition = this.#partition(row.tenant);
    this.#rows.set(row.id, row);
    partition.rows.set(row.id, row);
    if (isNew) {
      const at = firstAbove(partition.order, row.seq);
      // A row that was just removed and returns still has its entry.
      if (partition.order[at - 1]?.id !== row.id) partition.order.splice(at, 0, { seq: row.seq, id: row.id });
      partition.next = Math.max(partition.next, row.seq + 1);
    }
    for (const { key, ids } of this.#indexes) {
      const value = key(row);
      if (value === undefined) continue;
      const set = ids.get(value);
      if (set) set.add(row.id);
      else ids.set(value, new Set([row.id]));
    }
  }

  #remove(row: R): void {
    this.#rows.delete(row.id);
    const partition = this.#partition(row.tenant);
    partition.rows.delete(row.id);
    if (partition.order.length > 64 && partition.order.length > 2 * partition.rows.size) {
      partition.order = partition.order.filter(({ id }) => partition.rows.has(id));
    }
  }

  #unindex(row: R): void {
    for (const { key, ids } of this.#indexes) {
      const value = key(row);
      if (value === undefined) continue;
      const set = ids.get(value);
      set?.delete(row.id);
      if (set?.size === 0) ids.delete(value);
    }
  }

  #partition(tenant: string): Partition<R> {
    const known = this.#partitions.get(tenant);
    if (known) return known;
    const made: Partition<R> = { rows: new Map(), order: [], next: 1 };
    this.#partitions.set(tenant, made);
    return made;
  }
}

function firstAbove(order: ReadonlyArray<{ readonly seq: number }>, seq: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((order[middle]?.seq ?? Number.POSITIVE_INFINITY) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
