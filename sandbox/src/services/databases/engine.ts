import type { Credentials, Rows } from "../../state/rows.js";

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

/** What a finished dump is. */
export interface Dump {
  readonly bytes: number;
}

/** A dump was not restored, and nothing was changed; the message is the database server's reason. */
export class RestoreError extends Error {
  override readonly name = "RestoreError";
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
  /** Writes everything that the database holds into the dump of a backup; `undefined` where nothing is real. */
  dump(database: Rows["databases"], backup: string): Eventually<Dump | undefined>;
  /**
   * Replaces everything that the database holds by what the dump of a backup holds, or changes nothing.
   * @throws RestoreError where the dump is not taken.
   */
  restore(database: Rows["databases"], backup: string): Promise<void>;
  /** `undefined` while nothing listens. */
  address(database: Rows["databases"]): Address | undefined;
  /** The ports on which it listens at the moment. */
  ports(): readonly number[];
  /** Why the databases cannot be reached at the moment. */
  trouble(): string | undefined;
  /** Makes the databases of an earlier run reachable. */
  start(): Promise<void>;
  close(): Promise<void>;
}
