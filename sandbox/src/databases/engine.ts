import type { Credentials, Rows } from "../state/rows.js";

type Eventually<T> = T | Promise<T>;

/**
 * What stands behind a database. Every call may be repeated: after a crash the same row is provisioned, adjusted
 * or dropped again.
 */
export interface DatabaseEngine {
  provision(database: Rows["databases"]): Eventually<Credentials>;
  /** Brings what exists into line with a changed plan or pool setting. */
  adjust(database: Rows["databases"]): Eventually<void>;
  drop(database: Rows["databases"]): Eventually<void>;
}
