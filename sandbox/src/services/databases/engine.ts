import type { Credentials, Rows } from "../../state/rows.js";

/** The address of a database. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** Specification: the pooled address is "on a different host and port". */
  readonly poolHost: string;
  readonly poolPort: number;
  /** The query string of its URI. */
  readonly parameters: string;
}

/** A finished dump. */
export interface Dump {
  readonly bytes: number;
}

/** A dump that was not restored. Nothing was changed; the message is PostgreSQL's reason. */
export class RestoreError extends Error {
  override readonly name = "RestoreError";
}

type Eventually<T> = T | Promise<T>;

/** Runs databases. Every call is idempotent, because a crash can repeat it. */
export interface DatabaseEngine {
  provision(database: Rows["databases"]): Eventually<Credentials>;
  /** Applies a changed plan or pool setting. */
  adjust(database: Rows["databases"]): Eventually<void>;
  drop(database: Rows["databases"]): Eventually<void>;
  /** Dumps the database for a backup; returns `undefined` for a simulated database. */
  dump(database: Rows["databases"], backup: string): Eventually<Dump | undefined>;
  /**
   * Replaces the database's content with a backup's dump, or changes nothing.
   * @throws RestoreError where PostgreSQL rejects the dump.
   */
  restore(database: Rows["databases"], backup: string): Promise<void>;
  /** Returns the database's address, or `undefined` while the server is not running. */
  address(database: Rows["databases"]): Address | undefined;
  /** Returns the ports it listens on. */
  ports(): readonly number[];
  /** Returns why databases are unreachable, if they are. */
  trouble(): string | undefined;
  /** Starts the databases of an earlier run. */
  start(): Promise<void>;
  close(): Promise<void>;
}
