import { Agenda } from "./agenda.js";
import { type Rows, type TableName, tableNames } from "./rows.js";
import { Table } from "./table.js";

const tableMakers = {
  links: () =>
    new Table<Rows["links"], "address" | "domain">({ address: addressOf, domain: (l) => l.domain }),
  clicks: () => new Table<Rows["clicks"], "link">({ link: (click) => click.link }),
  databases: () =>
    new Table<Rows["databases"], "user">({
      user: ({ credentials }) => credentials && `${credentials.username} ${credentials.database}`,
    }),
  schedules: () => new Table<Rows["schedules"], "database">({ database: (s) => s.database_id }),
  backups: () => new Table<Rows["backups"], "database">({ database: (b) => b.database_id }),
  webhooks: () => new Table<Rows["webhooks"], never>({}),
  vps: () => new Table<Rows["vps"], never>({}),
  inboxes: () => new Table<Rows["inboxes"], "address">({ address: (inbox) => inbox.email_address }),
  records: () => new Table<Rows["records"], "name">({ name: ({ tenant, name }) => `${tenant} ${name}` }),
  deliveries: () => new Table<Rows["deliveries"], never>({}),
  messages: () => new Table<Rows["messages"], "inbox">({ inbox: (message) => message.inbox }),
};

/** Returns the index key of a link. */
function addressOf(link: { tenant: string; domain: string; slug: string }): string {
  return linkAddress(link.tenant, link.domain, link.slug);
}

export function linkAddress(tenant: string, domain: string, slug: string): string {
  return `${tenant} ${domain}/${slug}`;
}

export type Tables = { readonly [T in TableName]: ReturnType<(typeof tableMakers)[T]> };
/** The same tables, as generic code sees them. */
type AnyTables = { readonly [T in TableName]: Pick<Table<Rows[T]>, "get" | "set"> };
type Undo = (tables: AnyTables) => void;

/** A changed row; without `row`, it was removed. */
export interface Change {
  readonly table: TableName;
  readonly id: string;
  readonly row?: Rows[TableName];
}

export interface Transaction {
  put<T extends TableName>(table: T, row: Rows[T]): void;
  remove(table: TableName, id: string): void;
}

/** An agenda of this size is never swept. */
const SMALL_AGENDA = 1_024;

/** How many commits per tenant a stale read can go back. */
const HISTORY = 16;

/** All state in memory, changed only in synchronous transactions. A transaction that throws changes nothing. */
export class Store {
  readonly tables: Tables = makeTables();
  readonly agenda = new Agenda<{ table: TableName; id: string }>();
  readonly #history = new Map<string, Undo[][]>();
  #sweepAgendaAt = SMALL_AGENDA;
  /** Called after each transaction with changes. If it throws, the transaction is rolled back. */
  onCommit: (changes: readonly Change[]) => void = () => {};

  write<R>(tenant: string, body: (transaction: Transaction) => R): R {
    const undos: Undo[] = [];
    const changes: Change[] = [];
    try {
      const result = body({
        put: (table, row) => {
          undos.push(this.#set(table, row.id, row));
          changes.push({ table, id: row.id, row });
        },
        remove: (table, id) => {
          undos.push(this.#set(table, id, undefined));
          changes.push({ table, id });
        },
      });
      if (changes.length > 0) {
        this.onCommit(changes);
        this.#remember(tenant, undos);
        // Not earlier: a transaction that is undone needs the appointments of the rows before it.
        if (this.agenda.size > this.#sweepAgendaAt) this.#sweepAgenda();
      }
      return result;
    } catch (error) {
      rollBack(this.tables, undos);
      throw error;
    }
  }

  /** Restores a row from disk, without history. */
  restore<T extends TableName>(table: T, id: string, row: Rows[T] | undefined): void {
    this.#set(table, id, row);
  }

  /** Returns the tenant's rows before its last `commits` commits; 16 at most. */
  before(tenant: string, commits: number): Tables {
    const tables = copyOf(this.tables, tenant);
    const history = this.#history.get(tenant) ?? [];
    for (const undos of history.slice(-commits).reverse()) rollBack(tables, undos);
    return tables;
  }

  /** Yields all rows as changes that would create them. */
  *contents(): Iterable<Change> {
    for (const table of tableNames) {
      for (const row of this.tables[table].all()) yield { table, id: row.id, row };
    }
  }

  /** Clears the history of one tenant or of all. */
  forgetHistory(tenant?: string): void {
    if (tenant === undefined) this.#history.clear();
    else this.#history.delete(tenant);
  }

  #set<T extends TableName>(name: T, id: string, row: Rows[T] | undefined): Undo {
    const tables: AnyTables = this.tables;
    const before = tables[name].get(id);
    tables[name].set(id, row);
    if (row?.dueAt !== undefined && row.dueAt !== before?.dueAt)
      this.agenda.add(row.dueAt, { table: name, id });
    return (target) => target[name].set(id, before);
  }

  /** Removes appointments of deleted rows and moved ones, which otherwise stay until their time. */
  #sweepAgenda(): void {
    const kept = new Set<string>();
    this.agenda.retain(({ at, what: { table, id } }) => {
      const key = `${table} ${id}`;
      if (kept.has(key) || this.tables[table].get(id)?.dueAt !== at) return false;
      kept.add(key);
      return true;
    });
    this.#sweepAgendaAt = Math.max(SMALL_AGENDA, 2 * this.agenda.size);
  }

  #remember(tenant: string, undos: Undo[]): void {
    const history = this.#history.get(tenant) ?? [];
    history.push(undos);
    if (history.length > HISTORY) history.shift();
    this.#history.set(tenant, history);
  }
}

function rollBack(tables: AnyTables, undos: readonly Undo[]): void {
  for (const undo of undos.toReversed()) undo(tables);
}

function makeTables(): Tables {
  return {
    links: tableMakers.links(),
    clicks: tableMakers.clicks(),
    databases: tableMakers.databases(),
    schedules: tableMakers.schedules(),
    backups: tableMakers.backups(),
    webhooks: tableMakers.webhooks(),
    vps: tableMakers.vps(),
    inboxes: tableMakers.inboxes(),
    records: tableMakers.records(),
    deliveries: tableMakers.deliveries(),
    messages: tableMakers.messages(),
  };
}

function copyOf(tables: Tables, tenant: string): Tables {
  return {
    links: tables.links.only(tenant),
    clicks: tables.clicks.only(tenant),
    databases: tables.databases.only(tenant),
    schedules: tables.schedules.only(tenant),
    backups: tables.backups.only(tenant),
    webhooks: tables.webhooks.only(tenant),
    vps: tables.vps.only(tenant),
    inboxes: tables.inboxes.only(tenant),
    records: tables.records.only(tenant),
    deliveries: tables.deliveries.only(tenant),
    messages: tables.messages.only(tenant),
  };
}
