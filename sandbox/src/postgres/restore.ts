import { createReadStream } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import { RestoreError } from "../services/databases/engine.js";
import { administer, quoteName } from "./administer.js";
import type { Identity } from "./backend.js";
import { dropRole, limitLockWait } from "./roles.js";
import { type PostgresServer, socketClient } from "./server.js";
import { Statements } from "./statements.js";

/** Bytes to read, and approximate characters to send, at once. */
const READ_BYTES = 4 * 1024 * 1024;
const SENT_CHARACTERS = 1024 * 1024;
const SWAP_ATTEMPTS = 5;

/** Matches a statement that changes settings, possibly after comments. */
const SETTING = /^(?:\s|--[^\n]*\n)*SET\s/i;

/** Returns temporary names for the new and the old database during the swap. */
export function temporaryNames(database: string): readonly [coming: string, going: string] {
  return [`${database}_new`, `${database}_old`];
}

/**
 * Returns the role that loads a dump. It is separate, so that open connections and settings of the owner do not
 * interfere.
 */
export function loaderRole(user: string): string {
  return `${user}_loader`;
}

/**
 * Replaces a database's content with a dump. Loads the dump into a new database, which then takes the old one's name,
 * so that a failure changes nothing. The dump runs with the owner's rights only. Closes all connections to the
 * database.
 * @param beforeSwap - Closes connections that would otherwise reconnect.
 * @throws RestoreError where PostgreSQL rejects the dump, or connections cannot be kept out long enough.
 */
export async function restore(
  server: PostgresServer,
  { user, database }: Identity,
  path: string,
  beforeSwap: () => void,
): Promise<void> {
  const [coming, going] = temporaryNames(database);
  const loader = loaderRole(user);
  const drop = (name: string) =>
    administer(server, (query) => query(`DROP DATABASE IF EXISTS ${quoteName(name)} WITH (FORCE)`));
  const dropLoader = () => administer(server, (query) => dropRole(query, loader));
  await drop(coming);
  await dropLoader();
  try {
    await administer(server, async (query) => {
      await query(`CREATE ROLE ${quoteName(loader)} LOGIN`);
      await query(`GRANT ${quoteName(user)} TO ${quoteName(loader)}`);
      await query(`CREATE DATABASE ${quoteName(coming)} OWNER ${quoteName(user)}`);
      await query(`REVOKE CONNECT, TEMPORARY ON DATABASE ${quoteName(coming)} FROM PUBLIC`);
    });
    try {
      await load(server, { user, database: coming }, path);
      // Fails if the dump made the loader own objects, against its owner's role.
      await administer(server, async (query) => {
        await limitLockWait(query);
        await query(`DROP ROLE ${quoteName(loader)}`);
      });
    } catch (error) {
      throw new RestoreError(error instanceof Error ? error.message : String(error), { cause: error });
    }
    await drop(going);
    beforeSwap();
    await swap(server, database);
  } catch (error) {
    await drop(coming).catch(() => {});
    await dropLoader().catch(() => {});
    throw error;
  }
  // If this fails, the next restore or the database's deletion drops it.
  await drop(going).catch(() => {});
}

async function load(server: PostgresServer, { user, database }: Identity, path: string): Promise<void> {
  const loader = loaderRole(user);
  const client = socketClient(server.socketFolder, server.port, { user: loader, database });
  await client.connect();
  try {
    // A dump can set a password for the role that runs it, so forbid logins.
    await administer(server, (query) => query(`ALTER ROLE ${quoteName(loader)} NOLOGIN`));
    await client.query(`SET ROLE ${quoteName(user)}`);
    const statements = new Statements();
    let waiting: string[] = [];
    let length = 0;
    const flush = async () => {
      if (waiting.length > 0) await client.query(waiting.join("\n"));
      [waiting, length] = [[], 0];
    };
    const send = async (found: readonly string[]) => {
      for (const statement of found) {
        waiting.push(statement);
        length += statement.length;
        // Statements sent together are parsed together, so a setting must be sent before those it affects.
        if (length >= SENT_CHARACTERS || SETTING.test(statement)) await flush();
      }
    };
    await client.query("BEGIN");
    for await (const piece of createReadStream(path, { encoding: "utf8", highWaterMark: READ_BYTES }))
      await send(statements.push(String(piece)));
    await send(statements.end());
    await flush();
    await requireUtf8(client);
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}

/** Rejects dumps in other encodings, which have been read as UTF-8. */
async function requireUtf8(client: Client): Promise<void> {
  const { rows } = await client.query("SHOW client_encoding");
  const { client_encoding: encoding } = Object(rows[0]);
  if (encoding === "UTF8") return;
  throw new Error(`the dump's encoding is ${encoding}; only UTF8 is supported (psql -f supports any)`);
}

/**
 * Renames the databases. That requires that no client is connected; new connections wait for the renaming and reach
 * the new database.
 */
async function swap(server: PostgresServer, database: string): Promise<void> {
  const [coming, going] = temporaryNames(database);
  let isDone = false;
  const emptying = (async () => {
    while (!isDone) {
      await administer(server, (query) =>
        query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN ($1, $2)", [
          database,
          coming,
        ]),
      );
      await delay(50);
    }
  })();
  const renaming = administer(server, async (query) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await query("BEGIN");
        await query(`ALTER DATABASE ${quoteName(database)} RENAME TO ${quoteName(going)}`);
        await query(`ALTER DATABASE ${quoteName(coming)} RENAME TO ${quoteName(database)}`);
        await query("COMMIT");
        return;
      } catch (error) {
        await query("ROLLBACK");
        if (attempt < SWAP_ATTEMPTS) continue;
        throw new RestoreError(error instanceof Error ? error.message : String(error), { cause: error });
      }
    }
  }).finally(() => {
    isDone = true;
  });
  await Promise.all([renaming, emptying]);
}
