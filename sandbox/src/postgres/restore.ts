import { createReadStream } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import { RestoreError } from "../services/databases/engine.js";
import { administer, quoteName } from "./administer.js";
import type { Identity } from "./backend.js";
import { dropRole, limitLockWait } from "./roles.js";
import { type PostgresServer, socketClient } from "./server.js";
import { Statements } from "./statements.js";

/** How much of a dump is read, and about how much is sent, at once. */
const READ_BYTES = 4 * 1024 * 1024;
const SENT_CHARACTERS = 1024 * 1024;
const SWAP_ATTEMPTS = 5;

/** A statement, behind comments, that changes how those after it are read. */
const SETTING = /^(?:\s|--[^\n]*\n)*SET\s/i;

/** The names that a database and its successor have while the one gives way to the other. */
export function temporaryNames(database: string): readonly [coming: string, going: string] {
  return [`${database}_new`, `${database}_old`];
}

/**
 * Who logs in to load a dump: a role that is there for this alone, so that neither the connections that the owner
 * has open nor the settings that the owner has made for itself stand in the way.
 */
export function loaderRole(user: string): string {
  return `${user}_loader`;
}

/**
 * Replaces all that a database holds by what a dump holds. The dump is loaded into a new database first, which then
 * takes the name of the old one, so that a failure leaves everything as it was. It is loaded as the database's own
 * role: what it runs can do no more than its owner. Everybody in the database is thrown out.
 *
 * @param beforeSwap - Lets go of connections that would come back by themselves.
 * @throws RestoreError where PostgreSQL does not take the dump, or nobody can be kept out for long enough.
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
      // Refused where the dump went behind its owner's back and left something to the one who loaded it.
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
  // What cannot be dropped now goes with the next restoration, or with the database.
  await drop(going).catch(() => {});
}

async function load(server: PostgresServer, { user, database }: Identity, path: string): Promise<void> {
  const loader = loaderRole(user);
  const client = socketClient(server.socketFolder, server.port, { user: loader, database });
  await client.connect();
  try {
    // A dump can give the role that runs it a password, but no way in.
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
        // What is sent at once is read at once, so a setting must be in force before what it is meant for.
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

/** A dump is read as UTF-8; one that says that it is something else has been misread. */
async function requireUtf8(client: Client): Promise<void> {
  const { rows } = await client.query("SHOW client_encoding");
  const { client_encoding: encoding } = Object(rows[0]);
  if (encoding === "UTF8") return;
  throw new Error(`the dump is written in ${encoding}; only UTF8 is loaded here (psql -f loads any)`);
}

/** A database is renamed only when nobody is in it; who wants in waits for the renaming, and then finds the new one. */
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
