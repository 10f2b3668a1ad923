import { z } from "zod";
import type { DatabasePlanId } from "../catalogue.js";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { nothing, operation } from "../core/operation.js";
import type { ListPromise } from "../core/pages.js";
import type { Readiness } from "../core/poll-target.js";
import type { Poller } from "../core/poller.js";
import type { RequestOptions } from "../core/request-options.js";
import { BACKGROUND_WORK, sharedPoller } from "../core/shared-poller.js";
import type { WaitOptions } from "../core/wait-options.js";
import { identifier } from "../core/wire.js";
import {
  type BackupSchedule,
  type BackupScheduleInput,
  backupScheduleOperations,
  deleteBackupSchedule,
  getBackupSchedule,
  setBackupSchedule,
} from "./backup-schedules.js";
import { type ListInput, listInput, openText, text } from "./fields.js";

const database = z.object({
  /** The id of the database. */
  id: identifier(),
  /** The name of the cluster. */
  name: z.string().optional(),
  /** The engine, such as `postgresql`. */
  engine: z.string().optional(),
  /** The version of the engine. */
  version: z.string().optional(),
  /** `ready` is documented; `provisioning`, `updating`, `failed`, `deleting` are assumed; others are possible. */
  status: z.string().optional(),
  /** Why it failed. Assumed. */
  statusReason: z.string().optional(),
  /** The host name of the database. */
  host: z.string().optional(),
  /** The TCP port of the database. */
  port: z.int().optional(),
  /** Name of the initial database. */
  database: z.string().optional(),
  /** The name of the user in the connection address. */
  username: z.string().optional(),
  /** Carries the password: a secret. */
  connectionUri: z.string().optional(),
  /** The pooled address, on another host and port; carries the password: a secret. */
  poolUri: z.string().optional(),
  /** Whether clients must connect with TLS. */
  sslRequired: z.boolean().optional(),
});

const plan = () => openText<DatabasePlanId>();

const create = operation({
  call: "databases.create",
  basis: "documented",
  method: "POST",
  path: "/databases",
  section: "Database, Request fields",
  input: z.strictObject({
    name: text(),
    /** The specification shows `postgresql`. */
    engine: openText<"postgresql">(),
    /** E.g. `16`; see `databaseEngines` in the catalogue. */
    version: text(),
    plan: plan(),
    /** The specification lists no regions; the service checks it. */
    region: text(),
    /** Whether the response has a pooled address. */
    enableConnectionPool: z.boolean().optional(),
    /** A private network. */
    vpcId: text().optional(),
  }),
  response: database,
});

const list = operation({
  call: "databases.list",
  basis: "assumed",
  method: "GET",
  path: "/databases",
  section: "Gaps in endpoints: list resources other than links",
  input: listInput,
  response: z.array(database),
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
  }),
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
  kind: "nothing",
});

export const databaseOperations = [create, list, get, update, remove, ...backupScheduleOperations] as const;

/** A managed database. Specification: "Database". */
export type Database = z.output<typeof database>;
/** Specification: "Database", request fields. */
export type DatabaseCreateInput = z.input<typeof create.input>;
/** The fields of a database that can change in place (assumed). Absent fields keep their value. */
export type DatabaseUpdateInput = z.input<typeof update.input>;

const pollers = new WeakMap<Api, Poller<Database>>();

/** Managed databases and their backup schedules. Specification: "Databases". */
export class Databases {
  readonly #api: Api;
  readonly #poller: Poller<Database>;

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
  list(input?: ListInput, options?: RequestOptions): ListPromise<Database> {
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
   * Waits until a database has the status `ready` and an address. Concurrent waits share their requests.
   * It needs the assumed calls `get` and `list`.
   *
   * @throws {@link FailedStateError} at once when the database has failed, with the service's reason.
   * @throws {@link WaitTimeoutError} at the timeout; the service continues.
   * @throws {@link NotFoundError} when it is deleted.
   */
  waitUntilReady(id: string, options: WaitOptions<Database> = {}): Promise<Database> {
    return this.#poller.waitForState(id, readiness, options);
  }

  /** Waits until the service proves that a database does not exist. */
  waitUntilDeleted(id: string, options: WaitOptions<Database> = {}): Promise<void> {
    return this.#poller.waitUntilDeleted(id, options);
  }
}

/** An unknown status counts as pending: see `docs/api-coverage.md`. */
function readiness({ status, host, connectionUri }: Database): Readiness {
  if (status === undefined) return "incomplete";
  if (status === "failed") return "failed";
  if (status !== "ready") return "pending";
  return host === undefined && connectionUri === undefined ? "incomplete" : "ready";
}
