import { copyFile, type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { attemptAll } from "../core/attempt-all.js";
import { randomText } from "../core/ids.js";
import type { ServicesContext } from "../services/context.js";
import { RestoreError } from "../services/databases/engine.js";
import { parseRow, type Rows, type TableName } from "../state/rows.js";
import type { Transaction } from "../state/store.js";
import { ControlError, listResources } from "./resources.js";
import { type DumpFile, type OpenDump, type RawRow, readStateFile, writeStateFile } from "./state-file.js";

type Database = Rows["databases"];

/** Statuses in which a database has content. */
const usable = ["ready", "updating"];

/** Moves all state of a sandbox, with the content of real databases, to a file and from it. */
export class StateTransfer {
  readonly #context: ServicesContext;
  readonly #isReal: boolean;
  #last: Promise<unknown> = Promise.resolve();

  /** @param isReal - Whether PostgreSQL is real. */
  constructor(context: ServicesContext, isReal: boolean) {
    this.#context = context;
    this.#isReal = isReal;
  }

  /** @throws ControlError where a database cannot be dumped. */
  export(path: string): Promise<void> {
    return this.#inTurn(() => this.#export(path));
  }

  /**
   * Imports a state into an empty sandbox. Where this fails, the sandbox stays empty.
   * @throws ControlError where the sandbox has resources, or the file cannot be imported.
   */
  import(path: string): Promise<void> {
    return this.#inTurn(async () => {
      const folder = await mkdtemp(join(tmpdir(), "cloudservices-sandbox-state-"));
      try {
        await this.#import(path, folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #export(path: string): Promise<void> {
    const { store, clock, shortDomain, background } = this.#context;
    this.#context.runDue();
    await background.idle();
    // Rows are immutable, so this is the state of one moment. Each database's content follows a little later; what is
    // deleted before then is left out.
    const gone = new Set<string>();
    const rows = [...store.contents()];
    const databases = [...store.tables.databases.all()];
    const backups = [...store.tables.backups.all()];
    try {
      await writeStateFile(
        path,
        { shortDomain, clock: clock.setting },
        this.#dumps(databases, backups, gone),
        () =>
          rows.filter(({ table, id, row }) => {
            const of = table === "schedules" && row && "database_id" in row ? row.database_id : id;
            return !gone.has(of);
          }),
      );
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** @param gone - Receives the ids of what was deleted meanwhile. */
  async *#dumps(
    databases: readonly Database[],
    backups: ReadonlyArray<Rows["backups"]>,
    gone: Set<string>,
  ): AsyncGenerator<OpenDump> {
    const { dumps, random, store } = this.#context;
    for (const database of databases.filter((each) => this.#hasContent(each))) {
      const name = `export_${randomText(random, 10)}`;
      try {
        if (await this.#dump(database, name)) {
          const handle = await openDump(dumps.path(name));
          if (!handle) throw new Error(`The dump of the database "${database.id}" has disappeared.`);
          yield* closing({ of: "database", id: database.id, handle });
        } else gone.add(database.id);
      } finally {
        await dumps.remove(name);
      }
    }
    for (const { id, status, simulated } of backups) {
      if (status !== "completed" || simulated) continue;
      const handle = await openDump(dumps.path(id));
      if (handle) yield* closing({ of: "backup", id, handle });
      // Its record is deleted before its dump.
      else if (store.tables.backups.get(id))
        throw new ControlError(409, `The backup "${id}" has lost its dump.`);
      else gone.add(id);
    }
  }

  #hasContent({ engine, status, credentials }: Database): boolean {
    return this.#isReal && engine === "postgresql" && credentials !== undefined && usable.includes(status);
  }

  /** Dumps a database, in turn with its other work. Returns whether it still had content by then. */
  #dump({ id }: Database, name: string): Promise<boolean> {
    const { background, databaseEngine, store } = this.#context;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        reject(new ControlError(409, `The database "${id}" was not dumped: ${reason}`, { cause: error }));
      };
      const dump = async () => {
        const database = store.tables.databases.get(id);
        if (!database || !this.#hasContent(database)) return false;
        await databaseEngine.dump(database, name);
        return true;
      };
      background.run(id, dump, resolve, fail);
    });
  }

  async #import(path: string, folder: string): Promise<void> {
    const { store, clock, dumps: kept } = this.#context;
    this.#requireEmpty();
    const { header, rows: raw, dumps } = await readStateFile(path, folder);
    if (!this.#isReal && dumps.length > 0)
      throw new ControlError(
        409,
        "The state has the content of databases, and this sandbox's are simulated; start it with --postgres real.",
      );
    const rows = new Map(
      raw.map((line) => [line.id, validRow(line, header.shortDomain, this.#context.shortDomain)]),
    );
    const made: Database[] = [];
    const placed: string[] = [];
    try {
      if (dumps.length > 0) await this.#context.databaseEngine.start();
      for (const [id, { table, row }] of rows) {
        if (table !== "databases" || !this.#isReal) continue;
        const database = parseRow("databases", row);
        if (database.engine !== "postgresql" || database.credentials === undefined) continue;
        if (database.status === "deleting") continue;
        made.push(database);
        const dump = dumps.find((each) => each.of === "database" && each.id === id);
        rows.set(id, { table, row: await this.#makeDatabase(database, dump) });
      }
      for (const dump of dumps.filter(({ of, id }) => of === "backup" && rows.get(id)?.table === "backups")) {
        placed.push(dump.id);
        await kept.write(dump.id, (to) => copyFile(dump.path, to));
      }
      this.#requireEmpty();
      store.write("", (transaction) => {
        for (const { table, row } of rows.values()) put(transaction, table, row);
      });
    } catch (error) {
      const { databaseEngine, report } = this.#context;
      const failures = await attemptAll([
        ...made.map((database) => () => databaseEngine.drop(database)),
        ...placed.map((id) => () => kept.remove(id)),
      ]);
      for (const failure of failures) report(failure);
      throw error;
    }
    store.forgetHistory();
    clock.restore(header.clock);
    this.#context.runDue();
    await this.#context.durable();
  }

  #requireEmpty(): void {
    const { store } = this.#context;
    const count = listResources(store, undefined).length + [...store.tables.backups.all()].length;
    if (count === 0) return;
    throw new ControlError(
      409,
      `A state can only be imported into an empty sandbox, and this one has ${count} resources; reset it first.`,
    );
  }

  /** Creates a database with its former password and content. Returns its row. */
  async #makeDatabase(database: Database, dump: DumpFile | undefined): Promise<Database> {
    const { databaseEngine, dumps, random } = this.#context;
    const row = { ...database, credentials: await databaseEngine.provision(database) };
    if (dump === undefined) return row;
    const name = `import_${randomText(random, 10)}`;
    try {
      await dumps.write(name, (to) => copyFile(dump.path, to));
      await databaseEngine.restore(row, name);
    } catch (error) {
      if (!(error instanceof RestoreError)) throw error;
      throw new ControlError(
        409,
        `The content of the database "${database.id}" was not imported: ${error.message}`,
      );
    } finally {
      await dumps.remove(name);
    }
    return row;
  }
}

/** Opens a dump. Returns `undefined` where there is none. */
async function openDump(path: string | undefined): Promise<FileHandle | undefined> {
  if (path === undefined) return undefined;
  return open(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** Yields a dump, and closes it afterwards. */
async function* closing(dump: OpenDump): AsyncGenerator<OpenDump> {
  try {
    yield dump;
  } finally {
    await dump.handle.close();
  }
}

/** Credentials as a sandbox makes them. They become a part of connection addresses, and the password one of SQL. */
const importable = z
  .object({
    database: z.string().regex(/^\w{1,63}$/),
    username: z.string().regex(/^\w{1,63}$/),
    password: z.string().regex(/^[A-Za-z0-9]{8,64}$/),
  })
  .optional();

interface ValidRow {
  readonly table: TableName;
  readonly row: unknown;
}

/** Validates a row. Links on the default domain of the former sandbox move to that of this one. */
function validRow({ table, id, row }: RawRow, from: string, to: string): ValidRow {
  const moved = table === "links" && row["domain"] === from ? { ...row, domain: to } : row;
  try {
    const parsed = parseRow(table, moved);
    if ("credentials" in parsed && !importable.safeParse(parsed.credentials).success)
      throw new ControlError(400, `The database "${id}" of the state has invalid credentials.`);
    if (parsed.id === id) return { table, row: parsed };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new ControlError(400, `The state has an invalid row "${id}": ${z.prettifyError(error)}`);
  }
  throw new ControlError(400, `The state has a row "${id}" with another id.`);
}

function put<T extends TableName>(transaction: Transaction, table: T, row: unknown): void {
  transaction.put(table, parseRow(table, row));
}
