import type { Credentials, Rows } from "../state/rows.js";

/** Where a database is reached. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** Specification: the pooled address is "on a different host and port". */
  readonly poolHost: string;
  readonly poolPort: number;
  /** What stands behind the database's name in its URI. */
  readonly parameters: string;
}

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
  /** `undefined` while nothing listens. */
  address(database: Rows["databases"]): Address | undefined;
  /** Makes the databases of an earlier run reachable. */
  start(): Promise<void>;
  close(): Promise<void>;
}
