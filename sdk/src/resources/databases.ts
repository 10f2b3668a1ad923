import { z } from "zod";
import type { DatabasePlanId } from "../catalogue.js";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { nothing, operation } from "../core/operation.js";
import type { ListPromise } from "../core/pages.js";
import type { Readiness } from "../core/poll-target.js";
import type { Poller } from "../core/poller.js";
import type { RequestOptions } from "../core/request-options.js";
import type { Integer, Listed, OpenText, RequiredNames, ShapeOf } from "../core/shapes.js";
import { BACKGROUND_WORK, sharedPoller } from "../core/shared-poller.js";
import type { WaitOptions } from "../core/wait-options.js";
import { identifier, knownText } from "../core/wire.js";
import {
  type BackupSchedule,
  type BackupScheduleInput,
  backupScheduleOperations,
  deleteBackupSchedule,
  getBackupSchedule,
  setBackupSchedule,
} from "./backup-schedules.js";
import { type ListInput, listed, listInput, openText, text } from "./fields.js";

/** The states of a database. `ready` is documented, the others are assumed; more are possible. */
export type DatabaseStatus = "ready" | "provisioning" | "updating" | "failed" | "deleting";

/** A managed database. Specification: "Database", response fields. */
export interface Database {
  /** The id of the database: `db_…`. */
  readonly id: string;
  /** The name of the cluster. */
  readonly name: string;
  /** The engine, such as `postgresql`. */
  readonly engine: OpenText<"postgresql">;
  /** The version of the engine. */
  readonly version: string;
  /** The state; the database is usable when it is `ready`. */
  readonly status: OpenText<DatabaseStatus>;
  /** Why it failed. Assumed. */
  readonly statusReason?: string | undefined;
  /** The host name of the database. Absent until the database is ready (assumed). */
  readonly host?: string | undefined;
  /** The TCP port of the database. Absent until the database is ready (assumed). */
  readonly port?: Integer | undefined;
  /** Name of the initial database. Absent until the database is ready (assumed). */
  readonly database?: string | undefined;
  /** The name of the user in the connection address. Absent until the database is ready (assumed). */
  readonly username?: string | undefined;
  /** The address with user and password: a secret. Absent until the database is ready (assumed). */
  readonly connectionUri?: string | undefined;
  /** The pooled address, on another host and port, with `enableConnectionPool`. Carries the password: a secret. */
  readonly poolUri?: string | undefined;
  /** Whether clients must connect with TLS. */
  readonly sslRequired: boolean;
}

/** A database as a list shows it. The specification shows no such list, so only the id is certain. */
export interface ListedDatabase extends Listed<Database, "id"> {}

/** A database that a program can connect to: its addresses and credentials are there. */
export interface ReadyDatabase extends Database {
  /** The host name of the database. */
  readonly host: string;
  /** The TCP port of the database. */
  readonly port: Integer;
  /** Name of the initial database. */
  readonly database: string;
  /** The name of the user in the connection address. */
  readonly username: string;
  /** The address with user and password: a secret. */
  readonly connectionUri: string;
}

/** What the wait for a database checks. */
const READY: RequiredNames<ReadyDatabase> = {
  id: true,
  name: true,
  engine: true,
  version: true,
  status: true,
  host: true,
  port: true,
  database: true,
  username: true,
  connectionUri: true,
  sslRequired: true,
};

const database = z.object({
  id: identifier(),
  name: z.string(),
  engine: knownText<"postgresql">(),
  version: z.string(),
  status: knownText<DatabaseStatus>(),
  statusReason: z.string().optional(),
  host: z.string().optional(),
  port: z.int().optional(),
  database: z.string().optional(),
  username: z.string().optional(),
  connectionUri: z.string().optional(),
  poolUri: z.string().optional(),
  sslRequired: z.boolean(),
} satisfies ShapeOf<Database>);

/** The input of `databases.create`. Specification: "Database", request fields. */
export interface DatabaseCreateInput {
  /** The name of the cluster. */
  readonly name: string;
  /** The engine. The specification shows `postgresql`. */
  readonly engine: OpenText<"postgresql">;
  /** E.g. `16`; see `databaseEngines` in the catalogue. */
  readonly version: string;
  /** The plan, which sets size and limits; see `databasePlans` in the catalogue. */
  readonly plan: OpenText<DatabasePlanId>;
  /** The region. The specification lists none; the service checks it. */
  readonly region: string;
  /** Whether the database also has a pooled address, `poolUri`. Default false (assumed). */
  readonly enableConnectionPool?: boolean | undefined;
  /** The id of a private network: `vpc_…`. Default: none. */
  readonly vpcId?: string | undefined;
}

/** The fields of a database that can change in place (assumed). Absent fields keep their value. */
export interface DatabaseUpdateInput {
  /** The name of the cluster. */
  readonly name?: string | undefined;
  /** A plan with at least as much storage. */
  readonly plan?: OpenText<DatabasePlanId> | undefined;
  /** A later version of the engine. */
  readonly version?: string | undefined;
  /** Whether the database also has a pooled address, `poolUri`. */
  readonly enableConnectionPool?: boolean | undefined;
}

const plan = () => openText<DatabasePlanId>();

const create = operation({
  call: "databases.create",
  basis: "documented",
  method: "POST",
  path: "/databases",
  section: "Database, Request fields",
  input: z.strictObject({
    name: text(),
    engine: openText<"postgresql">(),
    version: text(),
    plan: plan(),
    region: text(),
    enableConnectionPool: z.boolean().optional(),
    vpcId: text().optional(),
  } satisfies ShapeOf<DatabaseCreateInput>),
  response: database,
});

const list = operation({
  call: "databases.list",
  basis: "assumed",
  method: "GET",
  path: "/databases",
  section: "Gaps in endpoints: list resources other than links",
  input: listInput,
  response: z.array(listed(database, { id: identifier() })),
});

const get = operation({
  call: "databases.get",
  basis: "assumed",
  method: "GET",
  path: "/databases/:id",
  section: "Gaps in endpoints: read single resources",
  input: nothing,
  response: database,
});

const update = operation({
  call: "databases.update",
  basis: "assumed",
  method: "PATCH",
  path: "/databases/:id",
  section: "Gaps in endpoints: update single resources",
  input: z.strictObject({
    name: text().optional(),
    plan: plan().optional(),
    version: text().optional(),
    enableConnectionPool: z.boolean().optional(),
  } satisfies ShapeOf<DatabaseUpdateInput>),
  response: database,
});

const remove = operation({
  call: "databases.delete",
  basis: "assumed",
  method: "DELETE",
  path: "/databases/:id",
  section: "Gaps in endpoints: delete single resources",
  input: nothing,
  response: nothing,
});

export const databaseOperations = [create, list, get, update, remove, ...backupScheduleOperations] as const;

const pollers = new WeakMap<Api, Poller<ListedDatabase>>();

/** Managed databases and their backup schedules. Specification: "Databases". */
export class Databases {
  readonly #api: Api;
  readonly #poller: Poller<ListedDatabase>;

  /** @param api - The result of `connect`. */
  constructor(api: Api) {
    this.#api = api;
    this.#poller = sharedPoller(pollers, api, (root) => ({
      ...BACKGROUND_WORK,
      noun: "database",
      path: (id) => `/databases/${id}`,
      deletion: (id) => `await client.databases.delete(${JSON.stringify(id)})`,
      get: (id, options) => root.call(get, { id }, undefined, options),
      list: (options) => root.list(list, { limit: 100 }, options),
    }));
  }

  /**
   * Creates a database. Documented. It is not usable at once: see {@link waitUntilReady}.
   *
   * The specification has no idempotency key, so a create whose response is lost is never retried: its error is
   * `ambiguous`. Check whether the database exists before you retry.
   */
  create(input: DatabaseCreateInput, options?: RequestOptions): ApiPromise<Database> {
    return this.#api.call(create, {}, input, options);
  }

  /** Lists databases. Iterate the result for all pages. Assumed. */
  list(input?: ListInput, options?: RequestOptions): ListPromise<ListedDatabase> {
    return this.#api.list(list, input, options);
  }

  /** Reads one database. Assumed. */
  get(id: string, options?: RequestOptions): ApiPromise<Database> {
    return this.#api.call(get, { id }, undefined, options);
  }

  /** Changes a database in place. Absent fields keep their value. Assumed. */
  update(id: string, input: DatabaseUpdateInput, options?: RequestOptions): ApiPromise<Database> {
    return this.#api.call(update, { id }, input, options);
  }

  /** Deletes a database with its data. Assumed. */
  delete(id: string, options?: RequestOptions): ApiPromise<undefined> {
    return this.#api.call(remove, { id }, undefined, options);
  }

  /** Sets or replaces the backup schedule of a database. Documented, except the response body. */
  setBackupSchedule(
    databaseId: string,
    input: BackupScheduleInput,
    options?: RequestOptions,
  ): ApiPromise<BackupSchedule> {
    return this.#api.call(setBackupSchedule, { id: databaseId }, input, options);
  }

  /** Reads the backup schedule of a database. Assumed. */
  getBackupSchedule(databaseId: string, options?: RequestOptions): ApiPromise<BackupSchedule> {
    return this.#api.call(getBackupSchedule, { id: databaseId }, undefined, options);
  }

  /** Deletes the backup schedule of a database. Assumed. */
  deleteBackupSchedule(databaseId: string, options?: RequestOptions): ApiPromise<undefined> {
    return this.#api.call(deleteBackupSchedule, { id: databaseId }, undefined, options);
  }

  /**
   * Waits until a database has the status `ready`, its address and its credentials. Concurrent waits share their
   * requests. It needs the assumed calls `get` and `list`.
   *
   * @throws {@link FailedStateError} at once when the database has failed, with the service's reason.
   * @throws {@link WaitTimeoutError} at the timeout; the service continues.
   * @throws {@link NotFoundError} when it is deleted.
   */
  waitUntilReady(id: string, options: WaitOptions<ListedDatabase> = {}): Promise<ReadyDatabase> {
    return this.#poller.waitUntilComplete<ReadyDatabase>(id, reached(["ready"]), READY, options);
  }

  /**
   * Waits until a database has one of these states, e.g. `updating`. The result has the fields that the service
   * returns. Otherwise like {@link waitUntilReady}.
   */
  waitForStatus(
    id: string,
    wanted: OpenText<DatabaseStatus> | readonly OpenText<DatabaseStatus>[],
    options: WaitOptions<ListedDatabase> = {},
  ): Promise<ListedDatabase> {
    return this.#poller.waitForState(id, reached([wanted].flat()), options);
  }

  /** Waits until the service proves that a database does not exist. */
  waitUntilDeleted(id: string, options: WaitOptions<ListedDatabase> = {}): Promise<void> {
    return this.#poller.waitUntilDeleted(id, options);
  }
}

/** An unknown status counts as pending: see `docs/api-coverage.md`. */
function reached(wanted: readonly string[]): (database: ListedDatabase) => Readiness {
  return ({ status, host, connectionUri }) => {
    if (status === undefined) return "incomplete";
    if (status === "failed" && !wanted.includes("failed")) return "failed";
    if (!wanted.includes(status)) return "pending";
    return status === "ready" && host === undefined && connectionUri === undefined ? "incomplete" : "ready";
  };
}
