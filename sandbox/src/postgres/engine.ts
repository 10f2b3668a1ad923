import { planOf } from "../databases/catalogue.js";
import type { Address, DatabaseEngine } from "../databases/engine.js";
import { databaseName } from "../databases/simulated.js";
import { type Random, randomText } from "../identity.js";
import type { Credentials, Rows } from "../state/rows.js";
import { Backend, type Identity } from "./backend.js";
import { type Pooled, Pooler } from "./pooler.js";
import { adminClient, type PostgresServer, startServer } from "./server.js";

type Database = Rows["databases"];

export interface PostgresOptions {
  readonly folder: string | undefined;
  readonly port: number;
  readonly poolPort: number;
  readonly random: Random;
  /** The database of these credentials, if it exists. */
  readonly find: (identity: Identity) => Database | undefined;
}

/** No pool needs more server connections than this on one machine. */
const LARGEST_POOL = 20;

interface Running {
  readonly server: PostgresServer;
  readonly pooler: Pooler;
  readonly poolPort: number;
}

/** Real PostgreSQL databases, on a bundled server that starts with the first of them. */
export class PostgresEngine implements DatabaseEngine {
  readonly #options: PostgresOptions;
  #starting: Promise<Running> | undefined;
  #running: Running | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
  }

  /** Starts the server now rather than with the first database. */
  async start(): Promise<void> {
    await this.#run();
  }

  async provision(database: Database): Promise<Credentials> {
    const running = await this.#run();
    // Made from the id, so that repeating this after a crash finds what was made before it.
    const suffix = database.id.slice(-10);
    const credentials = {
      database: `${databaseName(database.name)}_${suffix}`,
      username: `user_${suffix}`,
      password: randomText(this.#options.random, 24),
    };
    const { username, password } = credentials;
    await administer(running.server, async (query) => {
      const limit = planOf(database.plan)?.maxConnections ?? 1;
      const verb = (await exists(query, "pg_roles", "rolname", username)) ? "ALTER" : "CREATE";
      await query(`${verb} ROLE ${quoted(username)} LOGIN PASSWORD '${password}' CONNECTION LIMIT ${limit}`);
      if (!(await exists(query, "pg_database", "datname", credentials.database))) {
        await query(`CREATE DATABASE ${quoted(credentials.database)} OWNER ${quoted(username)}`);
      }
      await query(`REVOKE CONNECT, TEMPORARY ON DATABASE ${quoted(credentials.database)} FROM PUBLIC`);
    });
    return credentials;
  }

  async adjust(database: Database): Promise<void> {
    const { credentials } = database;
    if (!credentials) return;
    const { server, pooler } = await this.#run();
    const limit = planOf(database.plan)?.maxConnections ?? 1;
    await administer(server, (query) =>
      query(`ALTER ROLE ${quoted(credentials.username)} CONNECTION LIMIT ${limit}`),
    );
    if (!database.enable_connection_pool) pooler.drop(identityOf(credentials));
  }

  async drop(database: Database): Promise<void> {
    // What was never begun needs no server to be ended.
    if (!database.credentials && !this.#starting) return;
    const suffix = database.id.slice(-10);
    const { server, pooler } = await this.#run();
    if (database.credentials) pooler.drop(identityOf(database.credentials));
    await administer(server, async (query) => {
      // A database that was never finished has its role and perhaps its database under derived names.
      const name = database.credentials?.database ?? `${databaseName(database.name)}_${suffix}`;
      await query(`DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`);
      await query(`DROP ROLE IF EXISTS ${quoted(database.credentials?.username ?? `user_${suffix}`)}`);
    });
  }

  address(_database: Database): Address | undefined {
    if (!this.#running) return undefined;
    const { server, poolPort } = this.#running;
    return {
      host: "127.0.0.1",
      port: server.port,
      poolHost: "localhost",
      poolPort,
      parameters: `?sslmode=verify-full&sslrootcert=${encodeURIComponent(server.certificatePath).replaceAll("%2F", "/")}`,
    };
  }

  async close(): Promise<void> {
    const running = await this.#starting?.catch(() => undefined);
    await running?.pooler.close();
    await running?.server.stop();
  }

  /** How many server connections the pool of a database holds. */
  pooledConnections(database: Database): number {
    return database.credentials
      ? (this.#running?.pooler.connectionsOf(identityOf(database.credentials)) ?? 0)
      : 0;
  }

  #run(): Promise<Running> {
    this.#starting ??= this.#launch().catch((error: unknown) => {
      // The next database tries again: what was in the way may be gone.
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #launch(): Promise<Running> {
    const { folder, port, poolPort } = this.#options;
    const server = await startServer({ folder, port });
    const pooler = new Pooler({
      certificate: server.certificate,
      find: (identity) => this.#pooled(identity),
      open: (identity) => Backend.open(server.socketFolder, server.port, identity),
    });
    try {
      this.#running = { server, pooler, poolPort: await pooler.listen(poolPort, "localhost") };
      return this.#running;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  #pooled(identity: Identity): Pooled | undefined {
    const database = this.#options.find(identity);
    if (!database?.credentials || !database.enable_connection_pool) return undefined;
    const limit = planOf(database.plan)?.maxConnections ?? 1;
    return { password: database.credentials.password, size: Math.min(LARGEST_POOL, limit) };
  }
}

type Query = (text: string, values?: readonly string[]) => Promise<{ rowCount: number | null }>;

async function administer<R>(server: PostgresServer, body: (query: Query) => Promise<R>): Promise<R> {
  const client = adminClient(server.socketFolder, server.port, "postgres");
  await client.connect();
  try {
    return await body((text, values) => client.query(text, values ? [...values] : undefined));
  } finally {
    await client.end();
  }
}

async function exists(query: Query, catalogue: string, column: string, name: string): Promise<boolean> {
  return ((await query(`SELECT 1 FROM ${catalogue} WHERE ${column} = $1`, [name])).rowCount ?? 0) > 0;
}

function identityOf(credentials: Credentials): Identity {
  return { user: credentials.username, database: credentials.database };
}

/** Names are of letters, digits and underscores; the quotes keep reserved words from being taken for keywords. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
