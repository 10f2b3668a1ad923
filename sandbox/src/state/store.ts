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

/** A link's place within its tenant. */
function addressOf(link: { tenant: string; domain: string; slug: string }): string {
  return linkAddress(link.tenant, link.domain, link.slug);
}

export function linkAddress(tenant: string, domain: string, slug: string): string {
  return `${tenant} ${domain}/${slug}`;
}

export type Tables = { readonly [T in TableName]: ReturnType<(typeof tableMakers)[T]> };
/** The same tables, in the form that code over any of them can call. */
type AnyTables = { readonly [T in TableName]: Pick<Table<Rows[T]>, "get" | "set"> };
type Undo = (tables: AnyTables) => void;

/** One changed row, as it is written to disk: `row` is absent when the row was removed. */
export interface Change {
  readonly table: TableName;
  readonly id: string;
  readonly row?: Rows[TableName];
}

export interface Transaction {
  put<T extends TableName>(table: T, row: Rows[T]): void;
  remove(table: TableName, id: string): void;
}

/** How many of a tenant's last commits can be taken back for a stale read. */
const HISTORY = 16;

/**
 * All state, in memory, changed only in transactions. A transaction is synchronous: nobody sees half of it, and
 * one that throws leaves nothing behind.
 */
export class Store {
  readonly tables: Tables = makeTables();
  readonly agenda = new Agenda<{ table: TableName; id: string }>();
  readonly #history = new Map<string, Undo[][]>();
  /** Called after each transaction that changed something. One that cannot be kept throws, and is taken back. */
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
      }
      return result;
    } catch (error) {
      rollBack(this.tables, undos);
      throw error;
    }
  }

  /** Puts what was read back from disk; not written again, and not to be taken back. */
  restore<T extends TableName>(table: T, id: string, row: Rows[T] | undefined): void {
    this.#set(table, id, row);
  }

  /** The tenant's rows as they were before its last `commits` commits (at most 16 are remembered). */
  before(tenant: string, commits: number): Tables {
    const tables = copyOf(this.tables, tenant);
    const history = this.#history.get(tenant) ?? [];
    for (const undos of history.slice(-commits).reverse()) rollBack(tables, undos);
    return tables;
  }

  /** Every row there is, as changes that would make it. */
  *contents(): Iterable<Change> {
    for (const table of tableNames) {
      for (const row of this.tables[table].all()) yield { table, id: row.id, row };
    }
  }

  /** From here on there is no earlier state, of one tenant or of any. */
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
