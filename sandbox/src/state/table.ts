interface Row {
  readonly id: string;
  readonly tenant: string;
  readonly seq: number;
}

type Key<R> = (row: R) => string | undefined;

interface Partition<R> {
  readonly rows: Map<string, R>;
  /** Ascending by seq; may name rows that are gone, which are skipped and swept out in bulk. */
  order: Array<{ readonly seq: number; readonly id: string }>;
  next: number;
}

/**
 * The rows of one kind: by id, by tenant in order, and by whatever key an index names. Creating, reading and
 * paging cost the same however many rows there are.
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

  /** The row, if it is this tenant's; to a tenant, somebody else's row does not exist. */
  owned(tenant: string, id: string): R | undefined {
    const row = this.#rows.get(id);
    return row?.tenant === tenant ? row : undefined;
  }

  /** Every row of this key: as slow as they are many. */
  find(index: I, key: string): R[] {
    return [...this.#idsOf(index, key)].flatMap((id) => this.#rows.get(id) ?? []);
  }

  /** A row of this key, as fast among many as among few: of rows that never change, the oldest. */
  some(index: I, key: string): R | undefined {
    const [id] = this.#idsOf(index, key);
    return id === undefined ? undefined : this.#rows.get(id);
  }

  /** How many rows have this key. */
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

  /** At most `limit` rows of the tenant whose seq is above `after`, oldest first. */
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

  /** Puts, replaces, or (with `undefined`) removes the row of this id. */
  set(id: string, row: R | undefined): void {
    const before = this.#rows.get(id);
    if (before) this.#unindex(before);
    if (row) this.#insert(row, before === undefined);
    else if (before) this.#remove(before);
  }

  /** A copy that holds one tenant's rows; rows themselves are never changed in place, so they are shared. */
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
      // A row that was removed a moment ago and comes back still has its entry.
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
