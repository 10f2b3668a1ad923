import { join } from "node:path";
import { escapeLiteral } from "pg";
import type { CertificateSource } from "../core/certificate.js";
import { type Random, randomText } from "../core/ids.js";
import { planOf } from "../services/databases/catalogue.js";
import type { Dumps } from "../services/databases/dumps.js";
import type { Address, DatabaseEngine, Dump } from "../services/databases/engine.js";
import type { Credentials, Rows } from "../state/rows.js";
import { administer, exists, quoteName } from "./administer.js";
import { Backend, type Identity } from "./backend.js";
import { ADMIN } from "./cluster.js";
import { MAX_CONNECTIONS } from "./launch.js";
import { DUMP_SETTINGS, pgDump } from "./pg-dump.js";
import { Relay } from "./relay.js";
import { loaderRole, restore, temporaryNames } from "./restore.js";
import { dropParkedRoles, dropRole, limitLockWait, lockOutRole } from "./roles.js";
import { type PostgresServer, startServer } from "./server.js";

type Database = Rows["databases"];

export interface PostgresOptions {
  readonly folder: string | undefined;
  readonly port: number;
  readonly poolPort: number;
  /** Where clients of other machines connect; by default only this machine's clients can. */
  readonly publicAccess: PublicAccess | undefined;
  readonly certificate: CertificateSource;
  readonly random: Random;
  readonly dumps: Dumps;
  /** Called when the server ends unexpectedly, and when restarting it is abandoned. */
  readonly report: (trouble: string) => void;
  /** Returns the database of these credentials, if it exists. */
  readonly find: (identity: Identity) => Database | undefined;
}

export interface PublicAccess {
  /** The host in connection URIs. */
  readonly host: string;
  /** The address to listen on. */
  readonly address: string;
}

interface Running {
  readonly server: PostgresServer;
  readonly relay: Relay;
  readonly poolPort: number;
}

/** Real PostgreSQL databases, on a bundled server that starts with the first one. */
export class PostgresEngine implements DatabaseEngine {
  readonly #options: PostgresOptions;
  #starting: Promise<Running> | undefined;
  #running: Running | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
  }

  /** Starts the server before the first database. */
  async start(): Promise<void> {
    await this.#run();
  }

  async provision(database: Database): Promise<Credentials> {
    const running = await this.#run();
    // An imported database keeps its password.
    const known = database.credentials?.password;
    const credentials = { ...namesOf(database), password: known ?? randomText(this.#options.random, 24) };
    const { username, password } = credentials;
    await administer(running.server, async (query) => {
      const limit = planOf(database.plan)?.maxConnections ?? 1;
      const verb = (await exists(query, "pg_roles", "rolname", username)) ? "ALTER" : "CREATE";
      await query(
        `${verb} ROLE ${quoteName(username)} LOGIN PASSWORD ${escapeLiteral(password)} CONNECTION LIMIT ${limit}`,
      );
      if (!(await exists(query, "pg_database", "datname", credentials.database))) {
        await query(`CREATE DATABASE ${quoteName(credentials.database)} OWNER ${quoteName(username)}`);
      }
      await query(`REVOKE CONNECT, TEMPORARY ON DATABASE ${quoteName(credentials.database)} FROM PUBLIC`);
    });
    return credentials;
  }

  async adjust(database: Database): Promise<void> {
    if (!database.credentials) return;
    const { username } = namesOf(database);
    const { server, relay } = await this.#run();
    const limit = planOf(database.plan)?.maxConnections ?? 1;
    await administer(server, (query) => query(`ALTER ROLE ${quoteName(username)} CONNECTION LIMIT ${limit}`));
    if (!database.enable_connection_pool) relay.drop(identityOf(database));
  }

  async drop(database: Database): Promise<void> {
    // A database that was never created needs no server.
    if (!database.credentials && !this.#starting) return;
    const { server, relay } = await this.#run();
    relay.drop(identityOf(database));
    await administer(server, async (query) => {
      await limitLockWait(query);
      // An unfinished database may have a role and a database under derived names.
      const { database: name, username: user } = namesOf(database);
      await lockOutRole(query, user);
      for (const each of [name, ...temporaryNames(name)]) {
        // Its owner may have made it a template, which cannot be dropped. A database whose drop was interrupted
        // allows no change, so others are left alone.
        const template = "SELECT 1 FROM pg_database WHERE datistemplate AND datname = $1";
        if ((await query(template, [each])).rowCount)
          await query(`ALTER DATABASE ${quoteName(each)} IS_TEMPLATE false`);
        await query(`DROP DATABASE IF EXISTS ${quoteName(each)} WITH (FORCE)`);
      }
      for (const each of [loaderRole(user), user]) await dropRole(query, each);
      // The deleted database may have been the last to use them.
      await dropParkedRoles(query);
    });
  }

  async dump(database: Database, id: string): Promise<Dump> {
    if (!database.credentials) throw new Error("The database has not been created.");
    const { server } = await this.#run();
    const identity = { ...identityOf(database), user: ADMIN };
    const bytes = await this.#options.dumps.write(id, async (path) =>
      pgDump(await Backend.open(server.socketFolder, server.port, identity, DUMP_SETTINGS), path),
    );
    return { bytes };
  }

  async restore(database: Database, id: string): Promise<void> {
    const path = this.#options.dumps.path(id);
    if (!database.credentials || path === undefined)
      throw new Error("There is no database to restore into, or no dump.");
    const { server, relay } = await this.#run();
    const identity = identityOf(database);
    await restore(server, identity, path, () => relay.drop(identity));
  }

  address(_database: Database): Address | undefined {
    if (!this.#running) return undefined;
    const { server, poolPort } = this.#running;
    const { publicAccess } = this.#options;
    if (publicAccess) {
      const { host } = publicAccess;
      // Without a path of the root certificate: the client's machine does not have this sandbox's files.
      return { host, port: server.port, poolHost: host, poolPort, parameters: "?sslmode=require" };
    }
    return {
      host: "127.0.0.1",
      port: server.port,
      poolHost: "localhost",
      poolPort,
      parameters: `?sslmode=verify-full&sslrootcert=${encodeURIComponent(server.certificatePath).replaceAll("%2F", "/")}`,
    };
  }

  ports(): readonly number[] {
    return this.#running ? [this.#running.server.port, this.#running.poolPort] : [];
  }

  trouble(): string | undefined {
    return this.#running?.server.trouble;
  }

  async close(): Promise<void> {
    const running = await this.#starting?.catch(() => undefined);
    await running?.relay.close();
    await running?.server.stop();
  }

  async #run(): Promise<Running> {
    this.#starting ??= this.#launch().catch((error: unknown) => {
      // The next database retries: the problem may be solved by then.
      this.#starting = undefined;
      throw error;
    });
    const running = await this.#starting;
    await running.server.ready();
    return running;
  }

  async #launch(): Promise<Running> {
    const { folder, port, poolPort, publicAccess, certificate, report } = this.#options;
    const publicAddress = publicAccess?.address;
    const server = await startServer({ folder, port, publicAddress, certificate, report });
    this.#options.dumps.placeAt(join(server.runFolder, "backups"));
    const relay = new Relay({
      certificate: server.certificate,
      port: server.port,
      isPooled: (identity) => this.#isPooled(identity),
      maxClients: MAX_CONNECTIONS,
    });
    try {
      this.#running = { server, relay, poolPort: await relay.listen(poolPort, publicAddress ?? "localhost") };
      return this.#running;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  #isPooled(identity: Identity): boolean {
    const database = this.#options.find(identity);
    return database?.credentials !== undefined && database.enable_connection_pool;
  }
}

/**
 * Derives names from the id, so that a repetition after a crash finds the same objects. They omit the tenant's name
 * for the database, because all users of a server see all names. All work on the server uses these names and never
 * those of the row, which an imported file can set to another database or role.
 */
function namesOf({ id }: Database): Pick<Credentials, "database" | "username"> {
  const suffix = id.slice(-10);
  return { database: `db_${suffix}`, username: `user_${suffix}` };
}

function identityOf(row: Database): Identity {
  const { username: user, database } = namesOf(row);
  return { user, database };
}
