import type { ServicesContext } from "../services/context.js";
import type { ClockSetting } from "../state/clock.js";
import { parseRow, type TableName } from "../state/rows.js";
import type { Change, Transaction } from "../state/store.js";
import { ControlError } from "./resources.js";

const MAX_SNAPSHOTS = 100;

interface Snapshot {
  readonly rows: readonly Change[];
  readonly clock: ClockSetting;
}

/**
 * Named snapshots of all state, kept in memory. They do not include the content or dumps of a real PostgreSQL, so
 * they are refused while such databases or backups exist.
 */
export class Snapshots {
  readonly #context: ServicesContext;
  readonly #isReal: boolean;
  readonly #taken = new Map<string, Snapshot>();

  constructor(context: ServicesContext, isPostgresReal: boolean) {
    this.#context = context;
    this.#isReal = isPostgresReal;
  }

  names(): string[] {
    return [...this.#taken.keys()];
  }

  async take(name: string): Promise<void> {
    if (this.#taken.size >= MAX_SNAPSHOTS && !this.#taken.has(name))
      throw new ControlError(
        409,
        `There are ${MAX_SNAPSHOTS} snapshots already; take one under a known name.`,
      );
    await this.#settle();
    // Rows are immutable, so references to them suffice.
    const rows = [...this.#context.store.contents()];
    this.#taken.set(name, { rows, clock: this.#context.clock.setting });
  }

  async restore(name: string): Promise<void> {
    await this.#settle();
    const snapshot = this.#taken.get(name);
    if (!snapshot) throw new ControlError(404, `There is no snapshot "${name}".`);
    const { store, clock } = this.#context;
    const kept = new Set(snapshot.rows.map(({ id }) => id));
    const gone = [...store.contents()].filter(({ id }) => !kept.has(id));
    store.write("", (transaction) => {
      for (const { table, id } of gone) transaction.remove(table, id);
      for (const { table, row } of snapshot.rows) if (row) put(transaction, table, row);
    });
    store.forgetHistory();
    clock.restore(snapshot.clock);
    this.#context.runDue();
  }

  async #settle(): Promise<void> {
    const databases = [...this.#context.store.tables.databases.all()];
    if (this.#isReal && databases.some(({ engine }) => engine === "postgresql")) {
      throw new ControlError(400, "Snapshots do not include real PostgreSQL databases; delete them first.");
    }
    const backups = [...this.#context.store.tables.backups.all()];
    if (this.#isReal && backups.some(({ simulated }) => !simulated)) {
      throw new ControlError(
        400,
        "Snapshots do not include dumps of backups, which exist until they expire.",
      );
    }
    this.#context.runDue();
    await this.#context.background.idle();
  }
}

function put<T extends TableName>(transaction: Transaction, table: T, row: unknown): void {
  transaction.put(table, parseRow(table, row));
}
